import { Effect } from "effect"

/** Maximum distance of an entry in bits. Beyond it pictures match by chance. */
export const DISTANCE_MAX = 10

/** A perceptual hash of 64 bits, in halves. */
export interface PerceptualHash {
  readonly high: number
  readonly low: number
}

/** Hashes in columns: the first half, the second, and the distance at which another matches. */
export interface PerceptualEntries {
  readonly high: Uint32Array
  readonly low: Uint32Array
  readonly distance: Uint8Array
}

/** The place of the nearest entry, and its distance. */
export interface Nearest {
  readonly entry: number
  readonly distance: number
}

/** Steps of one turn: below 2 ms. */
const STEPS_PER_TURN = 50_000

const BUCKETS = 65_536

/** Reads 16 hex digits. */
export const perceptualHash = (hex: string): PerceptualHash => ({
  high: Number.parseInt(hex.slice(0, 8), 16),
  low: Number.parseInt(hex.slice(8), 16)
})

const bitsOf = (word: number) => {
  const pairs = word - ((word >>> 1) & 0x5555_5555)
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

/** Every place in question exists, which the compiler cannot know. */
const at = (column: Uint32Array | Uint8Array, place: number) => column[place] ?? 0

/** Runs `step` for every number below `count`, in turns. */
const inTurns = Effect.fnUntraced(function* (count: number, step: (index: number) => void) {
  for (let from = 0; from < count; from += STEPS_PER_TURN) {
    const to = Math.min(from + STEPS_PER_TURN, count)
    for (let index = from; index < to; index++) step(index)
    yield* Effect.yieldNow
  }
})

/** Returns the numbers of 16 bits that have at most `radius` bits set. */
const masksOf = (radius: number) =>
  Uint16Array.from({ length: BUCKETS }, (_, mask) => mask).filter((mask) => bitsOf(mask) <= radius)

const pieceOf = (high: number, low: number, band: number) =>
  ((band < 2 ? high : low) >>> (band % 2 === 0 ? 16 : 0)) & 0xffff

/** Entries in the order of one 16-bit piece, and the start of each piece. */
const makeBand = Effect.fnUntraced(function* ({ high, low }: PerceptualEntries, band: number) {
  const pieceAt = (entry: number) => pieceOf(at(high, entry), at(low, entry), band)
  const starts = new Uint32Array(BUCKETS + 1)
  yield* inTurns(high.length, (entry) => {
    const after = pieceAt(entry) + 1
    starts[after] = at(starts, after) + 1
  })
  for (let bucket = 0; bucket < BUCKETS; bucket++)
    starts[bucket + 1] = at(starts, bucket) + at(starts, bucket + 1)
  const free = starts.slice()
  const order = new Uint32Array(high.length)
  yield* inTurns(high.length, (entry) => {
    const piece = pieceAt(entry)
    const place = at(free, piece)
    order[place] = entry
    free[piece] = place + 1
  })
  return { starts, order }
})

/**
 * An index of perceptual hashes. When two hashes differ in at most 4r + 3 bits, one of the four 16-bit pieces differs
 * in at most r. So a search looks at the few entries with such a piece.
 */
export const makePerceptualIndex = Effect.fnUntraced(function* (entries: PerceptualEntries) {
  const { distance, high, low } = entries
  const bands = yield* Effect.forEach([0, 1, 2, 3], (band) => makeBand(entries, band))
  let widest = 0
  yield* inTurns(distance.length, (entry) => (widest = Math.max(widest, at(distance, entry))))
  const masks = masksOf(Math.floor(widest / bands.length))

  /** Returns the nearest entry of a part of a band, if it is nearer than the one found before. */
  const nearer = (
    hash: PerceptualHash,
    order: Uint32Array,
    from: number,
    to: number,
    found: Nearest | undefined
  ) => {
    let best = found
    for (let place = from; place < to; place++) {
      const entry = at(order, place)
      const bits = bitsOf(at(high, entry) ^ hash.high) + bitsOf(at(low, entry) ^ hash.low)
      if (bits > at(distance, entry)) continue
      const isNearer =
        best === undefined || bits < best.distance || (bits === best.distance && entry < best.entry)
      if (isNearer) best = { entry, distance: bits }
    }
    return best
  }

  /** Returns the nearest entry within its distance, the first of several. Undefined without one. */
  const nearest = Effect.fnUntraced(function* (hash: PerceptualHash) {
    let found: Nearest | undefined
    let steps = 0
    for (const [band, { order, starts }] of bands.entries()) {
      const piece = pieceOf(hash.high, hash.low, band)
      for (const mask of masks) {
        const end = at(starts, (piece ^ mask) + 1)
        let from = at(starts, piece ^ mask)
        while (from < end) {
          const to = Math.min(end, from + STEPS_PER_TURN)
          found = nearer(hash, order, from, to, found)
          steps += to - from
          from = to
          if (steps < STEPS_PER_TURN) continue
          yield* Effect.yieldNow
          steps = 0
        }
      }
    }
    yield* Effect.yieldNow
    return found
  })
  return { nearest }
})
