import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiScalar, OpenApi } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { DocumentedApi } from "../../../schemas/DocumentedApi.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type Document, documentOfTag, slugOfTag, tagsOf } from "../../../schemas/platform/openapiTags.ts"
import { html } from "../pages/html.ts"
import { documentOf, type Page } from "../pages/layout.ts"
import { Site } from "../pages/Site.ts"
import { problemAnswer } from "./errorAnswer.ts"
import { makeFixedAnswer } from "./fixedAnswer.ts"
import { pageHeadersOf } from "./pageHeaders.ts"
import { referenceText } from "./referenceText.ts"
import { addRoute } from "./ServicePaths.ts"

/** The viewer adds its styles to the page, and writes HTML. It loads from this origin alone and sends to it alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const page: Page = {
  title: "API",
  description: "Read about every operation of the API, and try it out.",
  main: html`<div class="reference">
    <noscript>
      <h1>The API</h1>
      <p>This reference needs JavaScript. You can also read the API in another form:</p>
      <ul>
        <li>
          <a href="/llms.txt">/llms.txt</a>: from sign-in to the first sale, and a page for each group of
          operations
        </li>
        <li><a href="/openapi.json">/openapi.json</a>: every operation, for programs</li>
        <li><code>README.md</code> in the source of the service: how to use it and how to run it</li>
      </ul>
    </noscript>
    <div id="reference"></div>
    <script src="/docs/viewer.js" defer></script>
  </div>`
}

/** Choices of the viewer, which gets the document from its own address. */
const VIEWER = {
  url: "/openapi.json",
  withDefaultFonts: false,
  showDeveloperTools: "never",
  hideClientButton: true
}

/**
 * Returns the script of the viewer. The framework serves it inside a page, and loads it with that page: a process whose
 * reference no one reads never has its three megabytes.
 */
const viewerScript = Effect.gen(function* () {
  const framework = yield* HttpRouter.toHttpEffect(
    HttpApiScalar.layer(HttpApi.make("viewer"), { path: "/docs" })
  )
  const answer = yield* Effect.provideService(
    framework,
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
  )
  const text = yield* Effect.promise(() => HttpServerResponse.toWeb(answer).text())
  const script = text.slice(text.indexOf("<script>") + "<script>".length, text.indexOf("</script>"))
  return `${script}\nScalar.createApiReference("#reference", ${JSON.stringify(VIEWER)})\n`
}).pipe(Effect.scoped, Effect.orDie)

const JSON_TYPE = "application/json"

/** Serves the reference of every operation, to read and to try, and its documents: whole, and by tag. */
export const DocsRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const site = yield* Site
    const answer = yield* makeFixedAnswer

    // Made with the first request, because most test processes never need it.
    const whole = yield* Effect.cached(
      Effect.sync(() => {
        const document = OpenApi.fromApi(DocumentedApi)
        return JSON.stringify({ ...document, info: { ...document.info, title: site.name } })
      })
    )

    const filesOfTag = (tag: ReturnType<typeof tagsOf>[number]) => {
      const own = Effect.map(whole, (text) => documentOfTag(JSON.parse(text) as Document, tag))
      const slug = slugOfTag(tag)
      return Effect.all([
        Effect.map(
          answer({ contentType: JSON_TYPE, text: Effect.map(own, (it) => JSON.stringify(it)) }),
          (it) => [`/openapi/${slug}.json`, it] as const
        ),
        Effect.map(
          answer({ contentType: "text/markdown; charset=utf-8", text: Effect.map(own, referenceText) }),
          (it) => [`/docs/${slug}.md`, it] as const
        )
      ])
    }
    const viewer = yield* answer({ contentType: "text/javascript; charset=utf-8", text: viewerScript })
    const ofTags = (yield* Effect.forEach(tagsOf(Api), filesOfTag)).flat()
    const files = new Map<string, typeof viewer>([...ofTags, ["/docs/viewer.js", viewer]])

    const file = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
      const found = files.get(url.replace(/[?#].*$/s, ""))
      return found ?? problemAnswer(new NotFound())
    })

    return Layer.mergeAll(
      addRoute("GET", "/openapi.json", yield* answer({ contentType: JSON_TYPE, text: whole })),
      addRoute("GET", "/openapi/:file", file),
      addRoute(
        "GET",
        "/docs",
        yield* answer({
          contentType: "text/html; charset=utf-8",
          headers: { ...pageHeadersOf(site), "content-security-policy": POLICY },
          text: Effect.sync(() => documentOf(site, page))
        })
      ),
      addRoute("GET", "/docs/:file", file)
    )
  })
)
