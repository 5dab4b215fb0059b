import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type ProblemKind, problems } from "../../../schemas/platform/errors/problems.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { html } from "../pages/html.ts"
import { documentOf, type Page } from "../pages/layout.ts"
import { Site } from "../pages/Site.ts"
import { caching } from "../public-answers/caching.ts"
import { problemAnswer } from "./errorAnswer.ts"
import { pageHeadersOf } from "./pageHeaders.ts"
import { makePublicAnswer, textForm } from "./publicAnswer.ts"
import { addRoute } from "./ServicePaths.ts"

const kinds: ReadonlyMap<string, ProblemKind> = new Map(Object.entries(problems))

const page = (slug: string, { meaning, remedy, status, title }: ProblemKind): Page => ({
  title,
  description: meaning,
  main: html`<article>
    <p class="kicker">Status ${status}</p>
    <h1>${title}</h1>
    <p class="lede">${meaning}</p>
    <div class="prose">
      <p>${remedy}</p>
      <p>
        Programs see this problem as <code>${slug}</code>, the end of its <code>type</code>.
        <a href="/docs">The API reference</a> lists the operations that return it.
      </p>
    </div>
  </article>`
})

/** Serves the page behind the `type` of a problem: its meaning and what to do. */
export const ProblemPagesRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const site = yield* Site
    const answer = yield* makePublicAnswer
    const form = textForm("text/html; charset=utf-8", {
      ...pageHeadersOf(site),
      "cache-control": caching.document
    })
    return addRoute(
      "GET",
      "/problems/:slug",
      Effect.gen(function* () {
        const { slug = "" } = yield* HttpRouter.params
        const kind = kinds.get(slug)
        if (kind === undefined) return yield* problemAnswer(new NotFound())
        const request = yield* HttpServerRequest.HttpServerRequest
        const read = Effect.sync(() => documentOf(site, page(slug, kind)))
        return yield* answer(request, { key: `problem ${slug}`, tags: () => [] }, read, form)
      }).pipe(Effect.provideService(Viewer, { ownerId: null }))
    )
  })
)
