import { DateTime } from "effect"
import { DAY_MILLIS } from "../../platform/time/now.ts"

/** The columns that a read, a wall or a checkout adds one to. */
export const COUNTS = [
  "people",
  "agents",
  "crawlers",
  "feeds",
  "people_walls",
  "agent_walls",
  "people_checkouts",
  "agent_checkouts"
] as const
export type Count = (typeof COUNTS)[number]

/** The least hashes of visitors that are kept of a Post and day. Their number is exact below it, and estimated from it on. */
export const HASHES_MAX = 1_024

/** Sources of a tally; further ones are `OTHER`. */
const SOURCES_MAX = 50
const OTHER = "other"

/** Tallies of readers who are signed in. The reads of any more count as those of strangers. */
const SIGNED_IN_MAX = 10_000

/** Facts of one read, wall or checkout. */
export interface Counted {
  /** The number of the UTC day. */
  readonly day: number
  readonly postId: string
  /** The account that reads, or the token of its browser. */
  readonly ownerId: string | null
  readonly browser: string | undefined
  readonly counts: ReadonlyArray<Count>
  readonly source: string | undefined
  readonly visitor: number | undefined
}

/** The reads, walls and checkouts of a Post on a day. Readers who are signed in have tallies of their own. */
export interface Tally extends Pick<Counted, "day" | "postId" | "ownerId" | "browser"> {
  readonly counts: Map<Count, number>
  readonly sources: Map<string, number>
  readonly visitors: Set<number>
}

const add = <Key>(numbers: Map<Key, number>, key: Key, by = 1) =>
  numbers.set(key, (numbers.get(key) ?? 0) + by)

const addSource = (sources: Tally["sources"], host: string, by = 1) =>
  add(sources, sources.size < SOURCES_MAX || sources.has(host) ? host : OTHER, by)

/** Adds a visitor. The set has the least hashes, and up to as many others. */
const addVisitor = (visitors: Set<number>, visitor: number) => {
  visitors.add(visitor)
  if (visitors.size < 2 * HASHES_MAX) return
  const others = [...visitors].toSorted((one, other) => one - other).slice(HASHES_MAX)
  for (const hash of others) visitors.delete(hash)
}

const keyOf = ({ browser, day, ownerId, postId }: Pick<Tally, "day" | "postId" | "ownerId" | "browser">) =>
  ownerId === null && browser === undefined ? `${day}${postId}` : `${day}${postId} ${ownerId ?? browser}`

/** The tallies since the last flush, in memory. */
export class Tallies {
  #all = new Map<string, Tally>()
  #signedIn = 0

  count(counted: Counted): void {
    const tally = this.#tallyOf(counted)
    for (const count of counted.counts) add(tally.counts, count)
    if (counted.source !== undefined) addSource(tally.sources, counted.source)
    if (counted.visitor !== undefined) addVisitor(tally.visitors, counted.visitor)
  }

  /** Takes everything out. */
  take(): ReadonlyArray<Tally> {
    const all = [...this.#all.values()]
    this.#all = new Map()
    this.#signedIn = 0
    return all
  }

  /** Puts back what could not be flushed. */
  giveBack(tallies: ReadonlyArray<Tally>): void {
    for (const { counts, sources, visitors, ...of } of tallies) {
      const tally = this.#tallyOf(of)
      for (const [count, number] of counts) add(tally.counts, count, number)
      for (const [host, number] of sources) addSource(tally.sources, host, number)
      for (const visitor of visitors) addVisitor(tally.visitors, visitor)
    }
  }

  #tallyOf(of: Pick<Tally, "day" | "postId" | "ownerId" | "browser">): Tally {
    const key = keyOf(of)
    const known = this.#all.get(key)
    if (known !== undefined) return known
    const isSignedIn = of.ownerId !== null || of.browser !== undefined
    if (isSignedIn && this.#signedIn >= SIGNED_IN_MAX)
      return this.#tallyOf({ day: of.day, postId: of.postId, ownerId: null, browser: undefined })
    if (isSignedIn) this.#signedIn++
    const tally: Tally = {
      day: of.day,
      postId: of.postId,
      ownerId: of.ownerId,
      browser: of.browser,
      counts: new Map(),
      sources: new Map(),
      visitors: new Set()
    }
    this.#all.set(key, tally)
    return tally
  }
}

/** Returns the number of the UTC day of a moment. */
export const dayNumberOf = (millis: number): number => Math.floor(millis / DAY_MILLIS)

/** Returns a UTC day by its number, such as `2026-11-29`. */
export const dayOfNumber = (day: number): string =>
  DateTime.formatIsoDateUtc(DateTime.makeUnsafe(day * DAY_MILLIS))
