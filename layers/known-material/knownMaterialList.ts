import { Effect, Schema } from "effect"
import type { Material } from "../../src/platform/ports/KnownMaterial.ts"
import { DISTANCE_MAX, makePerceptualIndex, perceptualHash, type Nearest } from "./perceptualIndex.ts"

/**
 * Default distance in bits at which a picture matches an entry. Copies that were scaled or compressed again differ in
 * few bits; `sharp-phash` calls pictures the same below 5. Among a million unrelated entries a distance of 4 matches
 * one picture in 10^7, 8 one in 4000, and 10 one in 100. Real pictures are spread less evenly.
 */
export const DISTANCE_DEFAULT = 4

/** Maximum bytes of a line. */
const LINE_BYTES_MAX = 1024

/** Bytes of the shortest entries, with the end of the line. */
const EXACT_LINE_BYTES_MIN = "sha256:".length + 64 + 1
const PERCEPTUAL_LINE_BYTES_MIN = "perceptual:".length + 16 + 1

/** Lines that are read in one turn: below 2 ms. */
const LINES_PER_TURN = 500

const NEWLINE = 0x0a

const IGNORED = /^[ \t\r]*(?:#.*)?$/su

const LINE =
  /^[ \t]*(?:sha256:([0-9a-f]{64})|perceptual:([0-9a-f]{16})(?:\/(\d{1,2}))?)(?:[ \t]+([^ \t\r].*?))?[ \t\r]*$/isu

/** A text is not a list. The message names the line and repeats nothing of it. */
export class ListMalformed extends Schema.TaggedError<ListMalformed>()("ListMalformed", {
  message: Schema.String
}) {}

/** Finds exact hashes by their first 32 bits, which are evenly spread. */
const makeExactIndex = Effect.fnUntraced(function* (heads: Uint32Array, hashAt: (entry: number) => string) {
  const size = 2 ** Math.ceil(Math.log2(2 * heads.length + 2))
  /** An entry each, or -1. */
  const table = new Int32Array(size).fill(-1)
  /** Returns the place of a hash, or the free place where it belongs. */
  const placeOf = (head: number, hash: string) => {
    let place = head & (size - 1)
    let entry = table[place] ?? -1
    while (entry !== -1 && (heads[entry] !== head || hashAt(entry) !== hash)) {
      place = (place + 1) & (size - 1)
      entry = table[place] ?? -1
    }
    return place
  }
  for (const [entry, head] of heads.entries()) {
    const place = placeOf(head, hashAt(entry))
    if (table[place] === -1) table[place] = entry
    if (entry % LINES_PER_TURN === 0) yield* Effect.yieldNow
  }
  return (hash: string) => table[placeOf(Number.parseInt(hash.slice(0, 8), 16), hash)] ?? -1
})

/**
 * The lines of a list: their places in its bytes, and their entries. The columns are as long as the shortest lines
 * would need; the system provides no memory for their unused ends. Arrays that grow would stop the process while they
 * move.
 */
const readLines = Effect.fnUntraced(function* (bytes: Buffer) {
  const exactMost = Math.ceil((bytes.length + 1) / EXACT_LINE_BYTES_MIN)
  const similarMost = Math.ceil((bytes.length + 1) / PERCEPTUAL_LINE_BYTES_MIN)
  const exact = { heads: new Uint32Array(exactMost), offsets: new Uint32Array(exactMost) }
  const similar = {
    high: new Uint32Array(similarMost),
    low: new Uint32Array(similarMost),
    distance: new Uint8Array(similarMost),
    offsets: new Uint32Array(similarMost)
  }
  let [exactCount, similarCount] = [0, 0]
  let offset = 0
  for (let number = 1; offset < bytes.length; number++) {
    const newline = bytes.subarray(offset, offset + LINE_BYTES_MAX).indexOf(NEWLINE)
    const end = newline === -1 ? bytes.length : offset + newline
    if (end - offset >= LINE_BYTES_MAX)
      return yield* new ListMalformed({ message: `line ${number} is too long` })
    const line = bytes.toString("latin1", offset, end)
    const [, sha256, hash, distance] = LINE.exec(line) ?? []
    if (sha256 !== undefined) {
      exact.heads[exactCount] = Number.parseInt(sha256.slice(0, 8), 16)
      exact.offsets[exactCount++] = offset
    } else if (hash !== undefined && Number(distance ?? 0) <= DISTANCE_MAX) {
      const { high, low } = perceptualHash(hash)
      similar.high[similarCount] = high
      similar.low[similarCount] = low
      similar.distance[similarCount] = Number(distance ?? DISTANCE_DEFAULT)
      similar.offsets[similarCount++] = offset
    } else if (!IGNORED.test(line)) {
      return yield* new ListMalformed({ message: `line ${number} is not an entry` })
    }
    offset = end + 1
    if (number % LINES_PER_TURN === 0) yield* Effect.yieldNow
  }
  return {
    exact: { heads: exact.heads.subarray(0, exactCount), offsets: exact.offsets },
    similar: {
      high: similar.high.subarray(0, similarCount),
      low: similar.low.subarray(0, similarCount),
      distance: similar.distance.subarray(0, similarCount),
      offsets: similar.offsets
    }
  }
})

/** A list that is ready for comparisons. */
export interface KnownMaterialList {
  /** Returns an operator's name for the entry that matches, or its hash without a name. Null without a match. */
  readonly match: (material: Material) => Effect.Effect<string | null>
}

/**
 * Reads a list. A line is `sha256:<64 hex digits> [name]` of a file, `perceptual:<16 hex digits>[/<bits>] [name]` of a
 * picture, a comment that begins with `#`, or blank. Fails for a list without entries, as of a file that is being
 * written. Keeps the bytes, which must not change, and works in short turns.
 */
export const readKnownMaterialList = Effect.fnUntraced(function* (bytes: Buffer) {
  const { exact, similar } = yield* readLines(bytes)
  if (exact.heads.length + similar.high.length === 0) {
    return yield* new ListMalformed({ message: "there is no entry" })
  }
  const partsAt = (offset: number) => {
    const newline = bytes.indexOf(NEWLINE, offset)
    return LINE.exec(bytes.toString("utf8", offset, newline === -1 ? bytes.length : newline)) ?? []
  }
  const nameAt = (offset: number) => {
    const [, sha256, hash, , name] = partsAt(offset)
    return name ?? (sha256 === undefined ? `perceptual:${hash}` : `sha256:${sha256}`)
  }
  const sha256At = (entry: number) => {
    const from = bytes.indexOf(":", exact.offsets[entry]) + 1
    return bytes.toString("latin1", from, from + 64).toLowerCase()
  }
  const exactOf = yield* makeExactIndex(exact.heads, sha256At)
  const index = yield* makePerceptualIndex(similar)

  const match: KnownMaterialList["match"] = Effect.fnUntraced(function* ({ representations, sha256 }) {
    const same = exactOf(sha256.toLowerCase())
    if (same !== -1) return nameAt(exact.offsets[same] ?? 0)
    let best: Nearest | undefined
    for (const { perceptual } of representations) {
      const near = yield* index.nearest(perceptualHash(perceptual))
      if (near !== undefined && (best === undefined || near.distance < best.distance)) best = near
    }
    return best === undefined ? null : nameAt(similar.offsets[best.entry] ?? 0)
  })
  return { match } satisfies KnownMaterialList
})
