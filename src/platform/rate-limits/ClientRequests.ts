import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { limits } from "../../../schemas/platform/rate-limits/limits.ts"
import { Settings } from "../ports/Settings.ts"
import { quotaOf, type RateLimitExceeded, RateLimits } from "./RateLimits.ts"

/** A client asks the counters this many times for its whole quota. Most requests cost one map lookup. */
const BLOCKS = 120

/** Maximum number of clients that are known here. A further one replaces the most silent, which loses less than a block. */
const CLIENTS_MAX = 50_000

const LIMIT = "requests"
const WINDOW_MILLIS = limits[LIMIT].windowSeconds * 1000

/** The requests of a client that the counters have not seen yet. */
interface Client {
  uncounted: number
  /** Time of the first of them, in milliseconds. */
  since: number
  /** Until then, the counters refused the client. */
  refusedUntil: number
}

/** Counts every request of a client, whether or not another limit does: a bound that people and crawlers never reach. */
export class ClientRequests extends Context.Service<
  ClientRequests,
  {
    /**
     * Counts a request of a client, as `clientOf` names it, at a time in milliseconds. Returns undefined when it may be
     * answered, which most requests learn at once. Otherwise, returns an effect that asks the counters, or fails.
     */
    readonly count: (client: string, now: number) => Effect.Effect<void, RateLimitExceeded> | undefined
  }
>()("pennypress/platform/rate-limits/ClientRequests") {
  static readonly layer = Layer.effect(
    ClientRequests,
    Effect.gen(function* () {
      const { consume, refuse } = yield* RateLimits
      const { rateLimitFactor } = yield* Settings
      const block = Math.max(1, Math.floor(quotaOf(LIMIT, rateLimitFactor) / BLOCKS))
      // A bound by size allocates nothing before it is needed.
      const clients = new LRUCache<string, Client>({ maxSize: CLIENTS_MAX, sizeCalculation: () => 1 })

      const add = (name: string, now: number) => {
        const client: Client = { uncounted: 0, since: now, refusedUntil: 0 }
        clients.set(name, client)
        return client
      }

      return ClientRequests.of({
        count: (name, now) => {
          const client = clients.get(name) ?? add(name, now)
          const waitMillis = client.refusedUntil - now
          // A longer wait is that of a clock which has stepped back since.
          if (waitMillis > 0 && waitMillis <= WINDOW_MILLIS)
            return refuse(LIMIT, Math.ceil(waitMillis / 1000))
          if (Math.abs(now - client.since) >= WINDOW_MILLIS)
            Object.assign(client, { uncounted: 0, since: now })
          client.uncounted += 1
          if (client.uncounted < block) return undefined
          client.uncounted = 0
          return consume(LIMIT, name, block).pipe(
            Effect.tapError(({ retryAfterSeconds }) =>
              Effect.sync(() => {
                client.refusedUntil = now + retryAfterSeconds * 1000
              })
            ),
            Effect.asVoid
          )
        }
      })
    })
  )
}
