import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { isKnown } from "../../platform/http/representation.ts"
import { addRoute } from "../../platform/http/ServicePaths.ts"
import { DependencyUnavailable } from "../../platform/ports/DependencyUnavailable.ts"
import { caching } from "../../platform/public-answers/caching.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { contentRangeOf, rangeOf } from "./byteRange.ts"
import { type PublicImage, PublicImages } from "./PublicImages.ts"

const decodeOperation = Schema.decodeUnknownOption(UploadOperationId)

/** The name of a file: its id, the width of a smaller copy, and its extension. */
const FILE = /^(?<id>.+?)(?:-(?<width>\d{1,5}))?\.[a-z]+$/

/** Reads the name of a file; none when it cannot be that of an image. */
const namedBy = (file: string) => {
  const { id = "", width } = FILE.exec(file)?.groups ?? {}
  return Option.map(decodeOperation(id), (operationId) => ({
    operationId,
    width: width === undefined ? undefined : Number(width),
    path: `media/${file}`
  }))
}

const headersOf = (etag: string) => ({
  "accept-ranges": "bytes",
  "cache-control": caching.unchanging,
  // An image opened by itself runs nothing and loads nothing.
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  etag
})

/**
 * Serves public copies of images: `GET /media/<operation>.<extension>` (spec 4.4), and their smaller copies:
 * `GET /media/<operation>-<width>.webp`.
 */
export const PublicImagesRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const images = yield* PublicImages
    const count = yield* limiting
    const notFound = problemAnswer(new NotFound())

    const answer = Effect.fnUntraced(function* (image: PublicImage, etag: string) {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (isKnown(request.headers["if-none-match"], etag)) {
        return HttpServerResponse.empty({ status: 304, headers: headersOf(etag) })
      }
      const { size } = image
      const range = rangeOf(request, size, etag)
      if (range === null) {
        return HttpServerResponse.empty({
          status: 416,
          headers: { "content-range": contentRangeOf(null, size) }
        })
      }
      const { body, contentType } = yield* images.open(image, range)
      return HttpServerResponse.stream(body, {
        status: range === undefined ? 200 : 206,
        contentType,
        contentLength: range?.length ?? size,
        headers: {
          ...headersOf(etag),
          ...(range === undefined ? {} : { "content-range": contentRangeOf(range, size) })
        }
      })
    })

    const serve = Effect.gen(function* () {
      yield* reportingRefusal(count("media"))
      const { file = "" } = yield* HttpRouter.params
      const named = namedBy(file)
      if (Option.isNone(named)) return yield* notFound
      const image = yield* images.find(named.value)
      if (Option.isNone(image)) return yield* notFound
      const { operationId } = named.value
      const { width } = image.value
      return yield* answer(image.value, `"${operationId}${width === undefined ? "" : `-${width}`}"`)
    }).pipe(
      Effect.catchTags({
        RateLimited: (error) => problemAnswer(error),
        // Removed after the database was asked.
        ObjectNotFound: () => notFound,
        StorageUnavailable: () => Effect.die(new DependencyUnavailable({ dependency: "storage" }))
      })
    )
    return addRoute("GET", "/media/:file", serve)
  })
)
