/** A text (one byte for each character), a number, or bytes. */
export type Part = string | number | ReadonlyArray<number> | Uint8Array

/** Bytes of the parts, one after the other. */
export const bytesOf = (...parts: ReadonlyArray<Part>): Uint8Array => {
  const pieces = parts.map((part) =>
    typeof part === "string"
      ? Uint8Array.from(part, (it) => it.charCodeAt(0))
      : typeof part === "number"
        ? Uint8Array.of(part)
        : Uint8Array.from(part)
  )
  const whole = new Uint8Array(pieces.reduce((sum, it) => sum + it.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

export const be16 = (value: number) => [(value >>> 8) & 0xff, value & 0xff]
export const be32 = (value: number) => [...be16(value >>> 16), ...be16(value)]
export const le16 = (value: number) => [value & 0xff, (value >>> 8) & 0xff]
export const le24 = (value: number) => [...le16(value), (value >>> 16) & 0xff]
export const le32 = (value: number) => [...le16(value), ...le16(value >>> 16)]

/** The bytes with some of them replaced. */
export const patched = (bytes: Uint8Array, at: number, value: ReadonlyArray<number> | Uint8Array) =>
  bytesOf(bytes.subarray(0, at), value, bytes.subarray(at + value.length))

/** The bytes with others put in between. */
export const inserted = (bytes: Uint8Array, at: number, ...parts: ReadonlyArray<Part>) =>
  bytesOf(bytes.subarray(0, at), ...parts, bytes.subarray(at))

/** Makes pseudo-random bytes that are the same for the same seed. */
export const noise = (seed: number, length: number): Uint8Array => {
  let state = seed >>> 0 || 1
  return Uint8Array.from({ length }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state & 0xff
  })
}

/** Finds the first place of an ASCII text in the bytes; -1 when it is not there. */
export const placeOf = (bytes: Uint8Array, text: string): number =>
  Buffer.from(bytes).indexOf(text, 0, "latin1")
