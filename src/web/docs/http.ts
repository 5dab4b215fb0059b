import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { DocumentedApi } from "../../../schemas/DocumentedApi.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type Document, documentOfTag, slugOfTag, tagsOf } from "../../../schemas/platform/openapiTags.ts"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { makeFixedAnswer } from "../../platform/http/fixedAnswer.ts"
import { pageHeadersOf } from "../../platform/http/pageHeaders.ts"
import { addPage, addRoute } from "../../platform/http/ServicePaths.ts"
import { documentOf, type Page } from "../../platform/pages/layout.ts"
import { Site } from "../../platform/pages/Site.ts"
import { indexPage } from "./indexPage.ts"
import { referenceText } from "./referenceText.ts"
import { tagPage } from "./tagPage.ts"

/** Serves the reference of every operation, as pages and as documents for programs: whole, and by tag. */
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
    const parsed = Effect.map(whole, (text) => JSON.parse(text) as Document)

    const json = (text: typeof whole) => answer({ contentType: "application/json", text })
    const markdown = (text: typeof whole) => answer({ contentType: "text/markdown; charset=utf-8", text })
    const page = (made: Effect.Effect<Page>) =>
      answer({
        contentType: "text/html; charset=utf-8",
        headers: pageHeadersOf(site),
        text: Effect.map(made, (it) => documentOf(site, it))
      })

    const files = new Map<string, Effect.Success<ReturnType<typeof page>>>()
    for (const tag of tagsOf(Api)) {
      const own = Effect.map(parsed, (it) => documentOfTag(it, tag))
      const slug = slugOfTag(tag)
      files.set(`/openapi/${slug}.json`, yield* json(Effect.map(own, (it) => JSON.stringify(it))))
      files.set(`/docs/${slug}.md`, yield* markdown(Effect.map(own, referenceText)))
      files.set(`/docs/${slug}`, yield* page(Effect.map(own, (it) => tagPage(it, tag, site.baseUrl))))
    }

    const file = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
      const found = files.get(url.replace(/[?#].*$/s, ""))
      return found ?? problemAnswer(new NotFound())
    })

    return Layer.mergeAll(
      addRoute("GET", "/openapi.json", yield* json(whole)),
      addRoute("GET", "/openapi/:file", file),
      addPage("GET", "/docs", yield* page(Effect.map(parsed, (it) => indexPage(it, site.baseUrl)))),
      addRoute("GET", "/docs/:file", file)
    )
  })
)
