/** Reads one byte. Returns 0 past the end, where callers that checked the length never read. */
export const u8 = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0

export const u16be = (bytes: Uint8Array, at: number): number => (u8(bytes, at) << 8) | u8(bytes, at + 1)

export const u32be = (bytes: Uint8Array, at: number): number =>
  ((u16be(bytes, at) << 16) | u16be(bytes, at + 2)) >>> 0

export const u16le = (bytes: Uint8Array, at: number): number => u8(bytes, at) | (u8(bytes, at + 1) << 8)

export const u24le = (bytes: Uint8Array, at: number): number => u16le(bytes, at) | (u8(bytes, at + 2) << 16)

export const u32le = (bytes: Uint8Array, at: number): number =>
  (u16le(bytes, at) | (u16le(bytes, at + 2) << 16)) >>> 0

/** Makes one number of the four letters that name a chunk: it compares faster than text. */
export const fourLetters = (name: string): number =>
  u32be(
    Uint8Array.from(name, (it) => it.charCodeAt(0)),
    0
  )

/** True when the ASCII text stands at `at`. */
export const isTextAt = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let place = 0; place < text.length; place++) {
    if (bytes[at + place] !== text.charCodeAt(place)) return false
  }
  return true
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean => {
  if (one.length !== other.length) return false
  if (one.buffer === other.buffer && one.byteOffset === other.byteOffset) return true
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}

/** True when the parts, which follow each other, have the same bytes as `whole`. */
export const isJoined = (parts: ReadonlyArray<Uint8Array>, whole: Uint8Array): boolean => {
  let at = 0
  return parts.every((part) => isSame(part, whole.subarray(at, (at += part.length)))) && at === whole.length
}

/** A part of an image's bytes, from `start` to before `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Adds up the bytes of parts. */
export const lengthOf = (spans: ReadonlyArray<Span>): number =>
  spans.reduce((sum, { end, start }) => sum + end - start, 0)

/** A copy in the making, of parts of `bytes` and of bytes made for it. */
export interface PartialCopy {
  /** Adds `bytes` from `start` to before `end`. */
  readonly keep: (start: number, end: number) => void
  /** Adds bytes that `bytes` does not have. */
  readonly put: (made: Uint8Array) => void
  /** Returns the parts in their order. Kept parts are views of `bytes`. */
  readonly done: () => ReadonlyArray<Uint8Array>
}

/** Joins parts into one array. */
export const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Parts that become one: an image can have tens of thousands. */
const PARTS_MAX = 1024

/** Begins a copy of `bytes`. */
export const copyOf = (bytes: Uint8Array): PartialCopy => {
  const parts: Array<Uint8Array> = []
  let last: Array<Uint8Array> = []
  let start = 0
  let end = 0
  const add = (part: Uint8Array) => {
    if (part.length > 0) last.push(part)
    if (last.length < PARTS_MAX) return
    parts.push(joined(last))
    last = []
  }
  // Neighbours become one part.
  const flush = () => {
    add(bytes.subarray(start, end))
    start = end
  }
  return {
    keep: (from, to) => {
      if (from !== end) {
        flush()
        start = from
      }
      end = to
    },
    put: (made) => {
      flush()
      add(made)
    },
    done: () => {
      flush()
      return parts.concat(last)
    }
  }
}
