import { Effect } from "effect"

/** Bits by which a perceptual hash may differ from that of an entry, at most. Beyond it pictures match by chance. */
export const DISTANCE_MAX = 10

/** A perceptual hash of 64 bits, in halves. */
export interface PerceptualHash {
  readonly high: number
  readonly low: number
}

/** Hashes in columns: the first half, the second, and by how many bits another may differ from it. */
export interface PerceptualEntries {
  readonly high: Uint32Array
  readonly low: Uint32Array
  readonly distance: Uint8Array
}

/** The entry that is nearest to a hash, by its place, and how far. */
export interface Nearest {
  readonly entry: number
  readonly distance: number
}

/** Steps of a loop after which others get their turn: below 2 ms. */
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

/** Every place that is asked for is there; the compiler cannot know. */
const at = (column: Uint32Array | Uint8Array, place: number) => column[place] ?? 0

/** Runs `step` for every number below `count`, in turns. */
const inTurns = Effect.fnUntraced(function* (count: number, step: (index: number) => void) {
  for (let from = 0; from < count; from += STEPS_PER_TURN) {
    const to = Math.min(from + STEPS_PER_TURN, count)
    for (let index = from; index < to; index++) step(index)
    yield* Effect.yieldNow
  }
})

/** All numbers of 16 bits of which at most `radius` are set. */
const masksOf = (radius: number) =>
  Uint16Array.from({ length: BUCKETS }, (_, mask) => mask).filter((mask) => bitsOf(mask) <= radius)

const pieceOf = (high: number, low: number, band: number) =>
  ((band < 2 ? high : low) >>> (band % 2 === 0 ? 16 : 0)) & 0xffff

/** The entries in the order of one 16-bit piece of theirs, and where those of each piece begin. */
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
 * An index of perceptual hashes. Of two hashes that differ in at most 4r + 3 bits, one of the four 16-bit pieces
 * differs in at most r: so it looks at the entries that have such a piece, which are few, and at no others.
 */
export const makePerceptualIndex = Effect.fnUntraced(function* (entries: PerceptualEntries) {
  const { distance, high, low } = entries
  const bands = yield* Effect.forEach([0, 1, 2, 3], (band) => makeBand(entries, band))
  let widest = 0
  yield* inTurns(distance.length, (entry) => (widest = Math.max(widest, at(distance, entry))))
  const masks = masksOf(Math.floor(widest / bands.length))

  /** The nearest of those from one place of a band to another, if it is nearer than the one found. */
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

  /** The nearest entry that the hash is near enough to; of several the first. Undefined when there is none. */
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
