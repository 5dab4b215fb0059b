import { bytesToHex } from "@noble/hashes/utils.js"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { type Given, ReadCounter, type ReaderRequest } from "../../platform/public-answers/ReadCounter.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"
import { MINUTE_MILLIS } from "../../platform/time/now.ts"
import { browserOf } from "./browserOf.ts"
import { hashKeyOf, type HashKey } from "./halfSipHash.ts"
import { asksForPrivacy, namedReader, type ReaderKind, readerKindOf, sourceOf, visitorOf } from "./readers.ts"
import { readStatements, type ReadsToAdd } from "./reads.sql.ts"
import { monthlyBefore } from "./statsPeriod.ts"
import { COUNTS, type Count, dayNumberOf, dayOfNumber, Tallies, type Tally } from "./Tallies.ts"

/** Bytes of the key of a day. */
const KEY_BYTES = 8

/** Processes agree on the key of a day this long before it begins. */
const AHEAD_MILLIS = 5 * MINUTE_MILLIS

/** The hashes of a day outlive it by this time, in which every process flushes. */
const LATE_MILLIS = 5 * MINUTE_MILLIS

/** The key of a day, as it is stored and as the hash takes it. */
interface DayKey {
  readonly bytes: Uint8Array
  readonly hashKey: HashKey
}

/** Crawlers and feeds are no visitors, and buy nothing. */
const isReader = (kind: ReaderKind): kind is "people" | "agents" => kind === "people" || kind === "agents"

const COLUMNS = {
  people: { wall: "people_walls", checkout: "people_checkouts" },
  agents: { wall: "agent_walls", checkout: "agent_checkouts" }
} as const satisfies Record<string, Record<string, Count>>

/** Returns the rows of tallies. Hashes each browser once, whose tallies may be many. */
const rowsOf = (tallies: ReadonlyArray<Tally>): ReadonlyArray<ReadsToAdd> => {
  const tokens = new Set(tallies.flatMap(({ browser }) => browser ?? []))
  const hashes = new Map(Array.from(tokens, (token) => [token, bytesToHex(hashOf(Redacted.make(token)))]))
  return tallies.map(({ browser, counts, day, ownerId, postId, sources, visitors }) => ({
    ...(Object.fromEntries(COUNTS.map((count) => [count, counts.get(count) ?? 0])) as Record<Count, number>),
    post_id: postId,
    day: dayOfNumber(day),
    owner_id: ownerId,
    browser: hashes.get(browser ?? "") ?? null,
    sources: Object.fromEntries(sources),
    visitors: [...visitors]
  }))
}

/**
 * Counts reads in memory, where answers leave. Only the database knows which reads are the author's, so the flush
 * leaves them out.
 */
export class Reads extends Context.Service<
  Reads,
  {
    /** Saves what was counted, in one statement. What cannot be saved is counted on. */
    readonly flush: Effect.Effect<void>
    /**
     * Gets the key of the day, and shortly before midnight that of the next. Saves a known key that the database lost.
     * Without a key, reads count without visitors.
     */
    readonly renewKeys: Effect.Effect<void>
    /** Forgets the visitors of days that ended, and adds days to their months after a year. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/engagement/reads/Reads") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const repo = yield* readStatements
      const clock = yield* Clock.Clock
      const random = yield* SecureRandom.SecureRandom
      const { trustedProxies } = yield* Settings
      const tallies = new Tallies()
      let keys: ReadonlyMap<number, DayKey> = new Map()

      const readerOf = ({ headers }: ReaderRequest, by?: Given["by"]) => {
        const name = namedReader(headers["user-agent"])
        return { name, kind: readerKindOf(headers, name, by) }
      }

      const add = (
        cookies: string | undefined,
        posts: ReadonlyArray<PostId>,
        counts: ReadonlyArray<Count>,
        ownerId: OwnerId | null,
        source: string | undefined,
        visitor: (day: number) => number | undefined
      ) => {
        const day = dayNumberOf(clock.currentTimeMillisUnsafe())
        const browser = ownerId === null ? browserOf(cookies) : undefined
        const of = { day, ownerId, browser, counts, source, visitor: visitor(day) }
        for (const postId of posts) tallies.count({ ...of, postId })
      }

      const none = () => undefined

      const step =
        (of: "wall" | "checkout"): ReadCounter["Service"]["wall"] =>
        (request, post, ownerId = null) => {
          const { kind } = readerOf(request)
          if (request.method !== "HEAD" && isReader(kind))
            add(request.headers["cookie"], [post], [COLUMNS[kind][of]], ownerId, undefined, none)
        }

      const counter = ReadCounter.of({
        read: (request, { by, hasWall, posts }, ownerId = null) => {
          if (request.method === "HEAD") return
          const { headers } = request
          const { kind, name } = readerOf(request, by)
          const isKnown = isReader(kind) && !asksForPrivacy(headers)
          add(
            // Programs that read feeds have no session, and a feed would have a tally of each browser for each Post.
            by === "feeds" ? undefined : headers["cookie"],
            posts,
            hasWall && isReader(kind) ? [kind, COLUMNS[kind].wall] : [kind],
            ownerId,
            isKnown ? sourceOf(headers["referer"]) : undefined,
            (day) => {
              const key = isKnown ? keys.get(day) : undefined
              return key === undefined
                ? undefined
                : visitorOf(key.hashKey, clientOf(request, trustedProxies), name)
            }
          )
        },
        wall: step("wall"),
        checkout: step("checkout")
      })

      const flush = Effect.suspend(() => {
        const taken = tallies.take()
        return taken.length === 0
          ? Effect.void
          : Effect.onError(repo.add(rowsOf(taken)), () => Effect.sync(() => tallies.giveBack(taken)))
      }).pipe(Effect.withSpan("Reads.flush"))

      // A crash of PostgreSQL empties the table, which is unlogged. So a known key is saved again.
      const keyOf = Effect.fnUntraced(function* (day: number) {
        const own = keys.get(day)?.bytes ?? (yield* random.randomBytes(KEY_BYTES))
        const bytes = yield* repo.keyOf(dayOfNumber(day), own)
        return { bytes, hashKey: hashKeyOf(bytes) }
      })

      const renewKeys = Effect.gen(function* () {
        const at = clock.currentTimeMillisUnsafe()
        const renewed = new Map<number, DayKey>()
        for (const day of new Set([dayNumberOf(at), dayNumberOf(at + AHEAD_MILLIS)]))
          renewed.set(day, yield* keyOf(day))
        keys = renewed
      }).pipe(Effect.withSpan("Reads.renewKeys"))

      const sweep = Effect.gen(function* () {
        const at = clock.currentTimeMillisUnsafe()
        const today = dayOfNumber(dayNumberOf(at))
        yield* repo.forgetVisitors(today, dayOfNumber(dayNumberOf(at - LATE_MILLIS)))
        yield* repo.addToMonths(monthlyBefore(today))
      }).pipe(Effect.withSpan("Reads.sweep"))

      return Context.make(Reads, Reads.of({ flush, renewKeys, sweep })).pipe(
        Context.add(ReadCounter, counter)
      )
    })
  )
}
