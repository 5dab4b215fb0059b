import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { TOUCH_ICON } from "../pages/layout.ts"
import { Site, type SiteFile, type SitePicture } from "../pages/Site.ts"
import { Assets } from "../ports/Assets.ts"
import { caching } from "../public-answers/caching.ts"
import type { PublicRead } from "../public-answers/PublicAnswers.ts"
import { problemAnswer } from "./errorAnswer.ts"
import { makePublicAnswer, textForm } from "./publicAnswer.ts"
import { addRoute } from "./ServicePaths.ts"

/** A browser that opens an SVG by its own address runs nothing in it. */
const ALONE = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
}

const formOf = ({ contentType }: SiteFile, control: string) =>
  textForm(contentType, { "cache-control": control, ...(contentType === "image/svg+xml" ? ALONE : {}) })

/** The picture of the operator. It is small, and sent as it is. */
const picture = ({ bytes, type }: SitePicture, control: string) =>
  HttpServerResponse.uint8Array(bytes, { contentType: type, headers: { "cache-control": control, ...ALONE } })

const readOf = ({ path }: SiteFile): PublicRead<string> => ({ key: `asset ${path}`, tags: () => [] })

/** Serves the files of the pages. Their names change with their content, so caches keep them for a year. */
export const AssetRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const { icon, logo, scripts, stylesheet } = yield* Site
    const { touchIconOf } = yield* Assets
    const answer = yield* makePublicAnswer
    const files = new Map([icon, stylesheet, ...Object.values(scripts)].map((file) => [file.path, file]))

    const sent = (file: SiteFile, control: string = caching.unchanging) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        answer(request, readOf(file), Effect.succeed(file.text), formOf(file, control))
      ).pipe(Effect.provideService(Viewer, { ownerId: null }))

    // Programs ask for these names on their own, and many of them show no SVG.
    const drawn = yield* Effect.cached(touchIconOf(logo?.bytes ?? new TextEncoder().encode(icon.text)))
    const raster = Effect.map(drawn, (bytes) =>
      picture({ bytes, type: "image/png", path: TOUCH_ICON }, caching.icon)
    )

    return Layer.mergeAll(
      addRoute("GET", "/favicon.ico", raster),
      addRoute("GET", TOUCH_ICON, raster),
      addRoute(
        "GET",
        "/assets/:file",
        Effect.flatMap(HttpRouter.params, ({ file: name = "" }) => {
          const path = `/assets/${name}`
          if (path === logo?.path) return Effect.succeed(picture(logo, caching.unchanging))
          const file = files.get(path)
          return file === undefined ? problemAnswer(new NotFound()) : sent(file)
        })
      )
    )
  })
)
