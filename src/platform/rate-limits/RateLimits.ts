import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Duration, Effect, Layer, Metric, Option, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import { RateLimited } from "../../../schemas/platform/errors/common.ts"
import { type LimitName, limits } from "../../../schemas/platform/rate-limits/limits.ts"
import { DependencyUnavailable } from "../ports/DependencyUnavailable.ts"
import { Settings } from "../ports/Settings.ts"
import { remembered } from "../work/remembered.ts"
import { quotaUnder } from "./countedRows.ts"
import { type Counted, consumeRolling, giveBackRolling, ROLLING_QUOTA_MAX } from "./rollingWindow.ts"

/**
 * Error of a limit that is used up; the request was not counted. It may pass after `retryAfterSeconds`, which is at
 * least 1. An answer names `limit` only in its headers.
 */
export class RateLimitExceeded extends RateLimited.extend<RateLimitExceeded>("RateLimitExceeded")({
  limit: Schema.Literals(Object.keys(limits) as [LimitName, ...Array<LimitName>])
}) {}

/** Returns true when a mailbox got too many mails, so that an earlier one is on its way. */
export const isOfMailbox = (error: unknown): error is RateLimitExceeded =>
  error instanceof RateLimitExceeded && limits[error.limit].by === "mailbox"

/** Remainder of a limit, and the seconds until it is whole again. */
export interface Quota {
  readonly limit: LimitName
  readonly remaining: number
  readonly resetSeconds: number
}

/** Returns the number of requests that the window of a limit allows under this factor. */
export const quotaOf = (limit: LimitName, factor: number): number => quotaUnder(limits[limit].limit, factor)

const refusals = Metric.counter("rate_limit_refusals_total", {
  description: "Requests that a used-up limit refused",
  incremental: true
})

const storeFailures = Metric.counter("rate_limit_store_failures_total", {
  description:
    "Limits that could not be counted, and whether the request was refused (closed) or let through (open)",
  incremental: true
})

/** Number of clients whose hashes are remembered. */
const HASHES_MAX = 10_000

const hashOf = remembered((of) => bytesToHex(sha256(utf8ToBytes(of))), HASHES_MAX)

/** Hashes a value that identifies a person before the store sees it. Ids of accounts and keys stay as they are. */
const keyOf = (limit: LimitName, of: string) => {
  const { by } = limits[limit]
  const isPersonal = by !== "account" && by !== "key"
  return `${limit}:${isPersonal ? hashOf(of) : of}`
}

/** Returns the whole seconds of a wait: never more than the limit's window, even after the clock was set back. */
const secondsOf = (limit: LimitName, wait: Duration.Duration) =>
  Math.min(limits[limit].windowSeconds, Math.max(1, Math.ceil(Duration.toSeconds(wait))))

/** Counts requests against the table of limits. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /**
     * Counts one request of an address, a mailbox, an account, a key or a wallet against a limit, or `count` together.
     * Returns None when the counter store is unavailable and the limit then lets requests through. Other limits die with
     * `DependencyUnavailable`.
     */
    readonly consume: (
      limit: LimitName,
      of: string,
      count?: number
    ) => Effect.Effect<Option.Option<Quota>, RateLimitExceeded>
    /** Refuses a request of a limit that is known to be used up for these seconds. */
    readonly refuse: (limit: LimitName, retryAfterSeconds: number) => Effect.Effect<never, RateLimitExceeded>
    /** Takes back the last count, for a request that the limit turned out not to cover. */
    readonly giveBack: (limit: LimitName, of: string) => Effect.Effect<void>
  }
>()("pennypress/platform/rate-limits/RateLimits") {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.make
      const { rateLimitFactor: factor } = yield* Settings

      const refuse = Effect.fnUntraced(function* (limit: LimitName, retryAfterSeconds: number) {
        yield* Metric.update(Metric.withAttributes(refusals, { limit }), 1)
        return yield* new RateLimitExceeded({ limit, retryAfterSeconds })
      })

      const away = Effect.fnUntraced(function* (limit: LimitName) {
        const outcome = limits[limit].whenAway
        yield* Metric.update(Metric.withAttributes(storeFailures, { limit, outcome }), 1)
        if (outcome === "closed") {
          return yield* Effect.die(new DependencyUnavailable({ dependency: "rate limits" }))
        }
        return Option.none<Quota>()
      })

      const requestOf = (limit: LimitName, of: string) => ({
        key: keyOf(limit, of),
        limit: quotaOf(limit, factor),
        window: Duration.seconds(limits[limit].windowSeconds)
      })

      const isRolling = (limit: LimitName) =>
        limits[limit].by === "mailbox" && quotaOf(limit, factor) <= ROLLING_QUOTA_MAX

      const take = (
        limit: LimitName,
        of: string,
        tokens: number
      ): Effect.Effect<Counted, RateLimiter.RateLimiterError> =>
        isRolling(limit)
          ? consumeRolling(limiter, requestOf(limit, of))
          : limiter.consume({ ...requestOf(limit, of), tokens })

      const uncount = (limit: LimitName, of: string): Effect.Effect<unknown, RateLimiter.RateLimiterError> =>
        isRolling(limit)
          ? giveBackRolling(limiter, requestOf(limit, of))
          : limiter.consume({ ...requestOf(limit, of), tokens: -1 })

      return RateLimits.of({
        consume: (limit, of, count = 1) =>
          Effect.matchEffect(take(limit, of, count), {
            onSuccess: ({ remaining, resetAfter }) =>
              Effect.succeedSome({ limit, remaining, resetSeconds: secondsOf(limit, resetAfter) }),
            onFailure: ({ reason }): Effect.Effect<Option.Option<Quota>, RateLimitExceeded> =>
              reason._tag === "RateLimitExceeded"
                ? refuse(limit, secondsOf(limit, reason.retryAfter))
                : away(limit)
          }),
        refuse,
        // If the store went away in between, the count stays one too high until its window ends.
        giveBack: (limit, of) => Effect.ignore(uncount(limit, of))
      })
    })
  )
}
