import { Clock, Context, Effect, Option, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { Settings } from "../ports/Settings.ts"
import { PublicAnswers } from "../public-answers/PublicAnswers.ts"
import { ReadCounter } from "../public-answers/ReadCounter.ts"
import { clientOf } from "../rate-limits/clientAddress.ts"
import { ClientRequests } from "../rate-limits/ClientRequests.ts"
import { quotaHeaders } from "../rate-limits/quotaHeaders.ts"
import { RateLimits } from "../rate-limits/RateLimits.ts"
import { preferredToHtml } from "./accept.ts"
import { countAccess, showsReads } from "./accessLog.ts"
import { live } from "./health.ts"
import { codingOf, type Representation, representationOf, type RequestHeaders } from "./representation.ts"
import { idOfRequest } from "./requestId.ts"
import { commonHeaders } from "./responseHeaders.ts"

/** A request as the server reads it, before it is routed. */
export interface UnroutedRequest {
  readonly method: string
  readonly url: string
  readonly headers: RequestHeaders
  readonly peerAddress: Option.Option<string>
}

/** The part of a request in the metrics that is known before its answer. */
interface Begun {
  readonly method: string
  readonly route: string
  readonly nanos: bigint
}

/**
 * Makes the function that answers a public read whose answer is kept, before the request is routed and decoded. The
 * answer has all that a routed one has: request id, rate limit, metrics, revalidation and compression. The answer that
 * says that the process runs never changes, so it is always kept. Returns undefined for any request that has to be
 * routed. Fails when the limit is used up, so that the routed request is refused.
 */
export const makeKeptAnswers = Effect.gen(function* () {
  const answers = yield* PublicAnswers
  const counter = yield* ReadCounter
  const rateLimits = yield* RateLimits
  const { count } = yield* ClientRequests
  const random = yield* SecureRandom.SecureRandom
  const { rateLimitFactor, trustedProxies } = yield* Settings
  const clock = yield* Clock.Clock
  const context = yield* Effect.context<never>()
  // Only a routed request writes a line of the log.
  const isLogged = showsReads(Context.get(context, References.MinimumLogLevel))

  /** Adds the headers of this very answer, and counts it. */
  const completed = (
    { method, nanos, route }: Begun,
    represented: Representation,
    requestId: string,
    quota?: Readonly<Record<string, string>>
  ): Representation => {
    const { status } = represented
    countAccess(context, {
      method,
      route,
      status,
      nanos: Number(clock.currentTimeNanosUnsafe() - nanos)
    })
    return { ...represented, headers: { ...represented.headers, ...commonHeaders(requestId), ...quota } }
  }

  return (request: UnroutedRequest): Effect.Effect<Representation, unknown> | undefined => {
    const { headers, method, url } = request
    if ((method !== "GET" && method !== "HEAD") || headers["authorization"] !== undefined || isLogged)
      return undefined
    const nanos = clock.currentTimeNanosUnsafe()
    if (url === live.route) {
      const begun = { method, route: live.route, nanos }
      return Effect.map(idOfRequest(headers, random), (requestId) =>
        completed(begun, live.representation, requestId)
      )
    }
    const answer = answers.find(url, context)
    if (answer === undefined || preferredToHtml(headers["accept"], answer.otherTypes) !== undefined)
      return undefined
    const coding = codingOf(answer, headers)
    const bytes = coding === undefined ? answer.body : answer.coded.get(coding)
    if (bytes === undefined) return undefined

    const represented = representationOf(answer, headers, { bytes, coding })
    const begun = { method, route: answer.route, nanos }
    const client = clientOf(request, trustedProxies)
    const consumed = rateLimits.consume(answer.limit, client)
    const counting = count(client, clock.currentTimeMillisUnsafe())
    return Effect.zipWith(
      counting === undefined ? consumed : Effect.andThen(counting, consumed),
      idOfRequest(headers, random),
      (quota, requestId) => {
        if (answer.given !== undefined) counter.read(request, answer.given)
        return completed(
          begun,
          represented,
          requestId,
          Option.isSome(quota) ? quotaHeaders(quota.value, rateLimitFactor) : undefined
        )
      }
    )
  }
})
