import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { Site, type SiteFile } from "../pages/Site.ts"
import type { PublicRead } from "../public-answers/PublicAnswers.ts"
import { problemAnswer } from "./errorAnswer.ts"
import { makePublicAnswer, textForm } from "./publicAnswer.ts"

const formOf = ({ contentType }: SiteFile) =>
  textForm(contentType, { "cache-control": "public, max-age=31536000, immutable" })

const readOf = ({ path }: SiteFile): PublicRead<string> => ({ key: `asset ${path}`, tags: () => [] })

/** Serves the files of the pages. Their names change with their content, so caches keep them for a year. */
export const AssetRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const { icon, script, stylesheet } = yield* Site
    const answer = yield* makePublicAnswer
    const files = new Map([icon, script, stylesheet].map((file) => [file.path, file]))

    return HttpRouter.add(
      "GET",
      "/assets/:file",
      Effect.gen(function* () {
        const { file: name = "" } = yield* HttpRouter.params
        const file = files.get(`/assets/${name}`)
        if (file === undefined) return yield* problemAnswer(new NotFound())
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* answer(request, readOf(file), Effect.succeed(file.text), formOf(file))
      }).pipe(Effect.provideService(Viewer, { ownerId: null }))
    )
  })
)
