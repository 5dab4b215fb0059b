import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { Site, type SiteFile } from "../pages/Site.ts"
import { caching } from "../public-answers/caching.ts"
import type { PublicRead } from "../public-answers/PublicAnswers.ts"
import { problemAnswer } from "./errorAnswer.ts"
import { makePublicAnswer, textForm } from "./publicAnswer.ts"

const formOf = ({ contentType }: SiteFile) => textForm(contentType, { "cache-control": caching.unchanging })

const readOf = ({ path }: SiteFile): PublicRead<string> => ({ key: `asset ${path}`, tags: () => [] })

/** Serves the files of the pages. Their names change with their content, so caches keep them for a year. */
export const AssetRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const { icon, scripts, stylesheet } = yield* Site
    const answer = yield* makePublicAnswer
    const files = new Map([icon, stylesheet, ...Object.values(scripts)].map((file) => [file.path, file]))

    const sent = (file: SiteFile, form = formOf(file)) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        answer(request, readOf(file), Effect.succeed(file.text), form)
      ).pipe(Effect.provideService(Viewer, { ownerId: null }))

    // Browsers ask for this name on their own, for answers that are no pages.
    const favicon = { ...icon, path: "/favicon.ico" }
    const forADay = textForm(icon.contentType, { "cache-control": caching.icon })

    return Layer.merge(
      HttpRouter.add("GET", "/favicon.ico", sent(favicon, forADay)),
      HttpRouter.add(
        "GET",
        "/assets/:file",
        Effect.flatMap(HttpRouter.params, ({ file: name = "" }) => {
          const file = files.get(`/assets/${name}`)
          return file === undefined ? problemAnswer(new NotFound()) : sent(file)
        })
      )
    )
  })
)
