import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { RetiredHandles } from "../../accounts/retired-handles/RetiredHandles.ts"
import { caching } from "../../platform/public-answers/caching.ts"
import { Discovery } from "./Discovery.ts"

/** Answers for pages of deleted accounts. Operations have none: there such a handle names nothing. */
type Gone = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** Matches a path with a handle, which has no dot: `/@handle…` or `/api/profile/handle…`. */
const HANDLE = /^(\/@|\/api\/profile\/)([^/?#.]+)/

/** Begins the paths of pages. */
const PAGE = "/@"

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
 * handle is free (spec 4.2.10). A page below the handle of an account that was deleted is 410 for a year. Other URLs that name
 * nothing stay 404.
 */
export const redirectFormerHandle = (gone?: Gone) =>
  Effect.map(
    Effect.all([Discovery, RetiredHandles]),
    ([discovery, retiredHandles]) =>
      <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
        Effect.catch(
          answer,
          Effect.fnUntraced(function* (error: E) {
            if (!(error instanceof NotFound)) return yield* Effect.fail(error)
            const { url } = yield* HttpServerRequest.HttpServerRequest
            const [start = "", prefix = "", former = ""] = HANDLE.exec(url) ?? []
            const handle = yield* discovery.currentHandle(former)
            if (Option.isNone(handle))
              return gone !== undefined && prefix === PAGE && (yield* retiredHandles.isRetired(former))
                ? yield* gone
                : yield* error
            return moved(`${prefix}${handle.value}${url.slice(start.length)}`)
          })
        )
  )
