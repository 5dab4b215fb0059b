import { setTimeout } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Length } from "../engagement/pairs.ts"
import type { Server } from "../servers.ts"

const ADDRESSES = 10_000
/** The first look over all addresses fills what is kept; later ones may add a tenth to the memory. */
const PEAK_RATIO_MAX = 1.1
const MEGABYTES_MAX = 300
/** A round is longer than those of requests, as an address is looked at every five minutes. */
const ROUND_FACTOR = 5
/** A look sets the next one later than the end of any lease. */
const LEASE_MILLIS_MAX = 120_000

/** Looks over all watched addresses, one round after the other. */
export interface Watched {
  readonly looksPerSecond: ReadonlyArray<number>
  readonly peaks: ReadonlyArray<number>
  /** Processor time of the service for a look at one address. */
  readonly cpuMicros: ReadonlyArray<number>
}

const now = () => new Date()
const HOUR_MILLIS = 3_600_000

/** Adds addresses with one expired payment session each, which the exact amount may still pay. */
const addAddresses = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const at = now()
  const created = new Date(at.getTime() - HOUR_MILLIS)
  const expired = new Date(at.getTime() - HOUR_MILLIS / 2)
  const late = new Date(at.getTime() + 23 * HOUR_MILLIS)
  yield* sql`
    insert into payment_sessions (id, kind, recipient_id, key_hash, intent, token_hash, pay_to_key, base_raw, amount_raw,
      created_at, expires_at, late_until)
    select gen_random_uuid(), 'tip', (select id from owners order by id limit 1), sha256(('session' || n)::bytea), '',
      sha256(('token' || n)::bytea), sha256(('address' || n)::bytea), 1e28, 1e28 + n, ${created}, ${expired}, ${late}
    from generate_series(1, ${ADDRESSES}::int) n`
  yield* sql`
    insert into watched_accounts (id, key, active_until, due_at)
    select gen_random_uuid(), pay_to_key, late_until, late_until from payment_sessions`
})

/** Makes all addresses due in each round, and counts those that were looked at in its time. */
export const watched = Effect.fnUntraced(function* (server: Server, { rounds, seconds }: Length) {
  yield* addAddresses
  const sql = yield* PgClient.PgClient
  const looksPerSecond: Array<number> = []
  const peaks: Array<number> = []
  const cpuMicros: Array<number> = []
  for (let n = 0; n < rounds; n++) {
    const at = now()
    const finish = server.measure()
    yield* sql`update watched_accounts set due_at = ${at}, attempts = 0`
    yield* Effect.promise(() => setTimeout(seconds * ROUND_FACTOR * 1000))
    const { cpuSeconds, peakMegabytes } = finish()
    const [row] = yield* sql<{ readonly looks: number }>`
      select count(*)::float8 as looks from watched_accounts where due_at > ${new Date(at.getTime() + LEASE_MILLIS_MAX)}`
    const looks = row?.looks ?? 0
    looksPerSecond.push((looks * 1000) / (now().getTime() - at.getTime()))
    peaks.push(peakMegabytes)
    cpuMicros.push((cpuSeconds * 1e6) / looks)
  }
  return { looksPerSecond, peaks, cpuMicros } satisfies Watched
})

const last = (numbers: ReadonlyArray<number>) => numbers.at(-1) ?? Number.NaN
const ratioOf = ({ peaks }: Watched) => last(peaks) / (peaks[0] ?? Number.NaN)

export const watchedTable = (it: Watched): string => {
  const all = (numbers: ReadonlyArray<number>, digits: number) =>
    numbers.map((n) => n.toFixed(digits)).join(" ")
  return [
    `${ADDRESSES} watched addresses (target: the peak of memory stays below ${PEAK_RATIO_MAX} of the first)`,
    `looks/s ${all(it.looksPerSecond, 0)}; peak MB ${all(it.peaks, 0)}; CPU µs/look ${all(it.cpuMicros, 0)}`
  ].join("\n")
}

/** Names the missed targets. */
export const watchedMissed = (it: Watched): ReadonlyArray<string> => [
  ...(ratioOf(it) < PEAK_RATIO_MAX ? [] : [`watched addresses: memory grew to ${ratioOf(it).toFixed(2)}`]),
  ...(Math.max(...it.peaks) < MEGABYTES_MAX
    ? []
    : [`watched addresses ${last(it.peaks).toFixed(0)} MB (target ${MEGABYTES_MAX})`])
]
