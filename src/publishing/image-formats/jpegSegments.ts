import { Result } from "effect"
import { u16be, u8 } from "./bytes.ts"
import { malformed, truncated, type ImageRefusal } from "./refusal.ts"

/** The second bytes of JPEG's markers that are told apart here. */
export const jpegMarkers = {
  start: 0xd8,
  end: 0xd9,
  scan: 0xda,
  comment: 0xfe,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app14: 0xee,
  app15: 0xef
} as const

/** A segment from its marker to before the next one; that of a scan has the coded pixels that follow it. */
export interface JpegSegment {
  readonly marker: number
  /** The marker's first byte. The data begins 4 bytes in. */
  readonly start: number
  /** Behind the data that has a length. */
  readonly headEnd: number
  /** Behind all of it. */
  readonly end: number
}

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7

/** Where the coded pixels end that begin at `from`: at the first marker that does not belong to them. */
const codedEnd = (bytes: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at)) {
    const first = at
    // Any number of 0xff may stand before the byte that says what it is.
    while (bytes[at] === 0xff) at++
    const marker = bytes[at]
    if (marker === undefined) return bytes.length
    if (marker !== 0 && !isRestart(marker)) return first
  }
  return bytes.length
}

/**
 * The segments of a JPEG between SOI and EOI. What follows EOI is left out: telephones write further pictures and films
 * there. Linear in the bytes.
 */
export const jpegSegments = (bytes: Uint8Array): Result.Result<ReadonlyArray<JpegSegment>, ImageRefusal> => {
  const segments: Array<JpegSegment> = []
  if (u16be(bytes, 0) !== 0xffd8) return malformed("The image does not begin as a JPEG does.")
  for (let at = 2; at < bytes.length;) {
    if (bytes[at] !== 0xff) return malformed("The JPEG has data between its segments.")
    while (bytes[at] === 0xff) at++
    const marker = u8(bytes, at)
    const start = at - 1
    if (at >= bytes.length) return truncated
    if (marker === jpegMarkers.end) return Result.succeed(segments)
    // These have no length, and no place here: a second start, the restarts of coded pixels, reserved ones.
    if (marker < 0xc0 || isRestart(marker) || marker === jpegMarkers.start) {
      return malformed("The JPEG has a segment that is out of place.")
    }
    const headEnd = at + 1 + u16be(bytes, at + 1)
    if (at + 3 > bytes.length || headEnd > bytes.length) return truncated
    if (headEnd < at + 3) return malformed("The JPEG has a segment with a wrong length.")
    const end = marker === jpegMarkers.scan ? codedEnd(bytes, headEnd) : headEnd
    segments.push({ marker, start, headEnd, end })
    at = end
  }
  return truncated
}
