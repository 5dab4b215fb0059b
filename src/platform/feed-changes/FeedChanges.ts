import { Clock, Context, Effect, Layer, Metric } from "effect"
import { SecureRandom } from "effect/crypto"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { FeedHub } from "../ports/FeedHub.ts"
import { Transactions } from "../sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../time/now.ts"
import { Doorbells } from "../work/Doorbells.ts"
import type { Claim } from "../work/lease.ts"
import { nextAttempt } from "../work/nextAttempt.ts"
import { type ClaimedChange, feedChangeStatements } from "./feedChanges.sql.ts"

/** The kind of work that the bell, metrics and logs name. */
export const FEED_CHANGES = "feed_changes"

/** Names of the formats of a feed. They follow the path of the page that the feed belongs to. */
export const FEED_NAMES = { atom: "atom.xml", rss: "rss.xml", json: "feed.json" } as const

/** Waits after a failed ping. */
const BACKOFF = { firstMillis: 5_000, longestMillis: 3_600_000 }
/** Age from which the hub is no longer told of a change: readers of feeds have looked for themselves by then. */
const LIFE_MILLIS = DAY_MILLIS
/** Number of failures in a row after which this process leaves the hub alone, and the time for which it does so. */
const FAILURES_MAX = 3
const REST_MILLIS = 60_000

const pings = Metric.counter("feed_pings_total", {
  description: "Changed feeds that the hub was notified of, by outcome",
  incremental: true
})
const counted = (outcome: "told" | "refused" | "retried") =>
  Metric.update(Metric.withAttributes(pings, { outcome }), 1)

/** Tells a WebSub hub which feeds have changed. Without a hub it does and keeps nothing. */
export class FeedChanges extends Context.Service<
  FeedChanges,
  {
    /**
     * Runs a change, and puts the paths that `feeds` returns before and after it into the outbox, as one transaction. A ping
     * contains the address of a feed, and nothing from a Post.
     */
    readonly announcing: (
      feeds: Effect.Effect<ReadonlyArray<string>>
    ) => <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Claims changes that are due, oldest first; none while the hub rests. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedChange>>
    /** Tells the hub of a claimed change, in each format of the feed. */
    readonly tell: (change: ClaimedChange) => Effect.Effect<void>
    /** Deletes changes that the hub has not heard of within a day. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/platform/feed-changes/FeedChanges") {
  static readonly layer = Layer.effect(
    FeedChanges,
    Effect.gen(function* () {
      const changes = yield* feedChangeStatements
      const hub = yield* FeedHub
      const transactions = yield* Transactions
      const { bell } = yield* Doorbells
      const random = yield* SecureRandom.SecureRandom
      const baseUrl = yield* PublicBaseUrl
      let failures = 0
      let restsUntil = 0

      const put = Effect.fnUntraced(function* (feeds: ReadonlySet<string>) {
        if (feeds.size === 0) return
        const changed = yield* Effect.forEach(feeds, (feed) =>
          Effect.map(random.uuidV7(), (id) => ({ id, feed }))
        )
        yield* changes.insert(changed, yield* now)
        yield* bell(FEED_CHANGES).ring
      })

      const announced = Effect.fnUntraced(function* <A, E, R>(
        feeds: Effect.Effect<ReadonlyArray<string>>,
        change: Effect.Effect<A, E, R>
      ) {
        const before = yield* feeds
        const result = yield* change
        yield* put(new Set([...before, ...(yield* feeds)]))
        return result
      })

      const addressesOf = (feed: string) =>
        Object.values(FEED_NAMES).map((name) => `${baseUrl}${feed}/${name}`)

      const tell = Effect.fnUntraced(
        function* ({ covered, feed }: ClaimedChange) {
          yield* Effect.forEach(addressesOf(feed), (address) => hub.ping(address), { discard: true })
          failures = 0
          yield* counted("told")
          yield* changes.complete(covered)
        },
        (effect, row) =>
          Effect.catchTags(effect, {
            HubRefused: ({ status }) =>
              Effect.logWarning("The hub refused a feed").pipe(
                Effect.annotateLogs({ status, feed: row.feed }),
                Effect.andThen(counted("refused")),
                Effect.andThen(changes.complete(row.covered))
              ),
            HubUnavailable: Effect.fnUntraced(function* ({ reason }) {
              failures++
              if (failures >= FAILURES_MAX) {
                restsUntil = (yield* Clock.currentTimeMillis) + REST_MILLIS
                yield* Effect.logWarning("The hub does not answer").pipe(Effect.annotateLogs({ reason }))
              }
              yield* counted("retried")
              yield* changes.release(row, yield* nextAttempt(random, BACKOFF, row.attempts))
            })
          })
      )

      return FeedChanges.of({
        announcing: (feeds) => (change) =>
          hub.url === undefined ? change : transactions.run(announced(feeds, change)),
        claim: (claim) =>
          Effect.flatMap(Clock.currentTimeMillis, (millis) =>
            millis < restsUntil ? Effect.succeed([]) : changes.claim(claim)
          ),
        tell,
        sweep: Effect.flatMap(now, (at) => changes.sweep(later(at, -LIFE_MILLIS)))
      })
    })
  )
}
