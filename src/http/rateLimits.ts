import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { RateLimited, RateLimitedProblem } from "../../schemas/errors/families.ts"
import { limits } from "../../schemas/rate-limits/limits.ts"
import { RateLimitFactor } from "../ports/RateLimitFactor.ts"
import { quotaOf, RateLimitExceeded, type Standing } from "../rate-limits/RateLimits.ts"

/** The members that an operation with several limits has in one list (draft-ietf-httpapi-ratelimit-headers). */
const listed = (earlier: string | undefined, member: string) =>
  earlier === undefined ? member : `${earlier}, ${member}`

/** Tells of a limit in the headers of whatever the request is answered with, errors too. */
export const announce = ({ limit, remaining, resetSeconds }: Standing, retryAfterSeconds?: number) =>
  Effect.withFiber<void>((fiber) => {
    const quota = quotaOf(limit, fiber.getRef(RateLimitFactor))
    const policy = `"${limit}";q=${quota};w=${limits[limit].windowSeconds}`
    const standing = `"${limit}";r=${remaining};t=${resetSeconds}`
    HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
      Effect.succeed(
        HttpServerResponse.setHeaders(response, {
          "ratelimit-policy": listed(response.headers["ratelimit-policy"], policy),
          ratelimit: listed(response.headers["ratelimit"], standing),
          ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) })
        })
      )
    )
    return Effect.void
  })

const refusing =
  <Refusal>(refusal: (retryAfterSeconds: number) => Refusal) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, RateLimitExceeded> | Refusal, R> =>
    Effect.catch(
      effect,
      Effect.fnUntraced(function* (error) {
        if (!(error instanceof RateLimitExceeded)) {
          return yield* Effect.fail(error as Exclude<E, RateLimitExceeded>)
        }
        const { limit, retryAfterSeconds } = error
        yield* announce({ limit, remaining: 0, resetSeconds: retryAfterSeconds }, retryAfterSeconds)
        return yield* Effect.fail(refusal(retryAfterSeconds))
      })
    )

/** Answers a used up limit as a problem, with the seconds to wait in `Retry-After`. */
export const asProblem = refusing((retryAfterSeconds) => new RateLimitedProblem({ retryAfterSeconds }))

/** Answers a used up limit in the ordinary JSON family, with the seconds to wait in `Retry-After`. */
export const asJsonError = refusing((retryAfter) => new RateLimited({ data: { retryAfter } }))
