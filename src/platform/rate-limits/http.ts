import { Context, Effect, Layer, Option } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import type { IpNetwork } from "effect/net"
import { RateLimited } from "../../../schemas/platform/errors/common.ts"
import { type LimitName, limits, RateLimit } from "../../../schemas/platform/rate-limits/limits.ts"
import { JsonRateLimits, ProblemRateLimits } from "../../../schemas/platform/rate-limits/middleware.ts"
import {
  CurrentCredential,
  CurrentOwner,
  CurrentPublisher,
  Viewer
} from "../../../schemas/platform/security/authorities.ts"
import { Settings } from "../ports/Settings.ts"
import { clientOf } from "./clientAddress.ts"
import { quotaHeaders } from "./quotaHeaders.ts"
import { RateLimitExceeded, RateLimits, type Quota } from "./RateLimits.ts"

/** Adds a member to the list that an operation with several limits has (draft-ietf-httpapi-ratelimit-headers). */
const listed = (earlier: string | undefined, member: string) =>
  earlier === undefined ? member : `${earlier}, ${member}`

/** Reports a limit in the headers of the answer, which may be an error. */
export const setRateLimitHeaders = (quota: Quota, retryAfterSeconds?: number) =>
  Effect.withFiber<void>((fiber) => {
    const { ratelimit, "ratelimit-policy": policy } = quotaHeaders(
      quota,
      fiber.getRef(Settings).rateLimitFactor
    )
    HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
      Effect.succeed(
        HttpServerResponse.setHeaders(response, {
          "ratelimit-policy": listed(response.headers["ratelimit-policy"], policy),
          ratelimit: listed(response.headers["ratelimit"], ratelimit),
          ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) })
        })
      )
    )
    return Effect.void
  })

/** Adds the seconds to wait to the headers of the answer. */
export const setRetryAfter = ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }) =>
  Effect.withFiber<void>((fiber) => {
    HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(retryAfterSeconds)))
    )
    return Effect.void
  })

/**
 * Reports a used-up limit in the headers of the answer, with the seconds to wait in `Retry-After`. A rate that is counted
 * over the rows of its table, such as that of Comments, has no other header.
 */
export const reportingRefusal = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapError(effect, (error) => {
    if (!(error instanceof RateLimited)) return Effect.void
    if (!(error instanceof RateLimitExceeded)) return setRetryAfter(error)
    const { limit, retryAfterSeconds } = error
    return setRateLimitHeaders({ limit, remaining: 0, resetSeconds: retryAfterSeconds }, retryAfterSeconds)
  })

interface Counted {
  readonly limit: LimitName
  readonly of: string
}

const noAuthority = (limit: LimitName) =>
  new Error(`The limit ${limit} stands outside the check of the credential that it is counted by`)

/** Returns the client that a limit counts. The credential check, which runs outside, has identified it. */
const counted = (
  limit: LimitName,
  context: Context.Context<never>,
  trusted: ReadonlyArray<IpNetwork.IpNetwork>
): Counted => {
  const credential = Context.getOrUndefined(context, CurrentCredential)
  const owner =
    Context.getOrUndefined(context, CurrentOwner) ??
    (credential?.kind === "owner_session" ? credential.owner : undefined)
  const publisher =
    Context.getOrUndefined(context, CurrentPublisher) ??
    (credential?.kind === "publishing_key" ? credential.publisher : undefined)
  const { by } = limits[limit]
  const client = () => clientOf(Context.getUnsafe(context, HttpServerRequest.HttpServerRequest), trusted)
  if (by === "ip") return { limit, of: client() }
  if (by === "caller") {
    const viewer = owner ?? Context.getOrUndefined(context, Viewer)
    return { limit, of: viewer?.ownerId ?? client() }
  }
  if (by === "account" && owner !== undefined) return { limit, of: owner.ownerId }
  // On an operation for either credential, a key has the limit `key` instead of `account`.
  if (publisher !== undefined) return { limit: by === "account" ? "key" : limit, of: publisher.apiKeyId }
  throw noAuthority(limit)
}

/** Counts the request against a limit, or `times` as many requests, and reports the limit in its answer. */
export const limiting = Effect.gen(function* () {
  const { consume } = yield* RateLimits
  const { trustedProxies: trusted } = yield* Settings
  return (limit: LimitName, times = 1) =>
    Effect.withFiber<void, RateLimitExceeded>((fiber) => {
      const request = counted(limit, fiber.context, trusted)
      return Effect.flatMap(
        consume(request.limit, request.of, times),
        Option.match({ onNone: () => Effect.void, onSome: setRateLimitHeaders })
      )
    })
})

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

const rateLimits = Effect.map(
  limiting,
  (count) =>
    <E, R>(
      answer: Answer<E, R>,
      { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
    ): Answer<E | RateLimitExceeded, R> => {
      const limit = Context.getOrUndefined(endpoint.annotations, RateLimit)
      return reportingRefusal(limit === undefined ? answer : Effect.andThen(count(limit), answer))
    }
)

/**
 * Counts requests against the limits of their endpoints. Reports refusals in headers, including those of limits that a
 * service counts itself.
 */
export const layer = Layer.mergeAll(
  Layer.effect(ProblemRateLimits, rateLimits),
  Layer.effect(JsonRateLimits, rateLimits)
)
