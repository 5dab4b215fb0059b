/** One byte; 0 behind the end, where callers that checked the length never read. */
export const u8 = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0

export const u16be = (bytes: Uint8Array, at: number): number => (u8(bytes, at) << 8) | u8(bytes, at + 1)

export const u32be = (bytes: Uint8Array, at: number): number =>
  ((u16be(bytes, at) << 16) | u16be(bytes, at + 2)) >>> 0

export const u16le = (bytes: Uint8Array, at: number): number => u8(bytes, at) | (u8(bytes, at + 1) << 8)

export const u24le = (bytes: Uint8Array, at: number): number => u16le(bytes, at) | (u8(bytes, at + 2) << 16)

export const u32le = (bytes: Uint8Array, at: number): number =>
  (u16le(bytes, at) | (u16le(bytes, at + 2) << 16)) >>> 0

/** The four letters that name a chunk as one number, which is compared faster than text. */
export const fourLetters = (name: string): number =>
  u32be(
    Uint8Array.from(name, (it) => it.charCodeAt(0)),
    0
  )

/** Whether the text of ASCII characters stands at `at`. */
export const isTextAt = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let place = 0; place < text.length; place++) {
    if (bytes[at + place] !== text.charCodeAt(place)) return false
  }
  return true
}

/** Whether there is nothing but zeros from `from` on, as some cameras and file systems pad. */
export const isZeroFrom = (bytes: Uint8Array, from: number): boolean =>
  from >= bytes.length || bytes.subarray(from).every((it) => it === 0)

/** A copy in the making, of parts of `bytes` and of bytes that were made for it. */
export interface PartialCopy {
  /** Takes `bytes` from `start` to before `end`. */
  readonly keep: (start: number, end: number) => void
  readonly put: (made: Uint8Array) => void
  /** The parts in their order; those that are kept are where they were, as to copy 5 MiB keeps others waiting. */
  readonly done: () => ReadonlyArray<Uint8Array>
}

/** All of them, one after the other. */
export const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** So many parts become one: an image can have half a million. */
const PARTS_MAX = 1024

/** Begins a copy. */
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
  // What follows each other is one part.
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
