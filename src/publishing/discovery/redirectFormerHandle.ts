import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { caching } from "../../platform/public-answers/caching.ts"
import { Discovery } from "./Discovery.ts"

/** Matches a path with a handle, which has no dot: `/@handle…` or `/api/profile/handle…`. */
const HANDLE = /^(\/@|\/api\/profile\/)([^/?#.]+)/

const moved = (location: string) =>
  HttpServerResponse.empty({
    status: 308,
    headers: {
      location,
      vary: "Authorization",
      // For a moment only: another owner may claim the handle.
      "cache-control": caching.vacant
    }
  })

/**
 * Redirects a public URL with a former handle to the same URL with the current handle of its owner, while the former
 * handle is free (spec 4.2.10). Other URLs that name nothing stay 404.
 */
export const redirectFormerHandle = Effect.map(
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
