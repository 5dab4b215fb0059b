import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { Discovery } from "./Discovery.ts"

/** A path that begins with a handle, or has one behind `/api/profile/`. */
const HANDLE = /^(\/@|\/api\/profile\/)([^/?#]+)/

const moved = (location: string) =>
  HttpServerResponse.empty({
    status: 308,
    headers: {
      location,
      vary: "Authorization",
      // For a moment only: somebody else may claim the handle.
      "cache-control": "public, max-age=15"
    }
  })

/**
 * What a public URL with a handle is answered when there is nothing: the way to the same URL with the handle that its
 * owner has now, while nobody else has the old one (specification 4.2.10).
 */
export const following = Effect.map(
  Discovery,
  (discovery) =>
    <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.catch(
        answer,
        Effect.fnUntraced(function* (error: E) {
          if (!(error instanceof NotFound)) return yield* Effect.fail(error)
          const { url } = yield* HttpServerRequest.HttpServerRequest
          const [start = "", prefix = "", former = ""] = HANDLE.exec(url) ?? []
          const handle = yield* discovery.currentHandle(former)
          if (Option.isNone(handle)) return yield* error
          return moved(`${prefix}${handle.value}${url.slice(start.length)}`)
        })
      )
)
