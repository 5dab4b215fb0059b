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
  readonly done: () => Uint8Array
}

/** Begins a copy that is at most `room` bytes longer than the original. */
export const copyOf = (bytes: Uint8Array, room: number): PartialCopy => {
  const copy = new Uint8Array(bytes.length + room)
  let length = 0
  let start = 0
  let end = 0
  // What follows each other is copied at once: an image can have half a million parts.
  const flush = () => {
    copy.set(bytes.subarray(start, end), length)
    length += end - start
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
      copy.set(made, length)
      length += made.length
    },
    done: () => {
      flush()
      // Its buffer is seldom much longer, and to copy 5 MiB again keeps others waiting.
      return copy.subarray(0, length)
    }
  }
}
