import * as Result from "effect/Result"
import { PARTS_MAX } from "../shared/bounds.ts"
import { u16be, u8 } from "../shared/bytes.ts"
import { malformed, tooMany, truncated, type ImageRefusal } from "../shared/refusal.ts"

/** The second bytes of the markers that are distinguished here. */
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

/** A segment, from its marker to before the next one. A scan includes the coded pixels after it. */
export interface JpegSegment {
  readonly marker: number
  /** The first byte of the marker. The data begins 4 bytes after it. */
  readonly start: number
  /** The place after the data that has a length. */
  readonly headEnd: number
  /** The place after the whole segment. */
  readonly end: number
}

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7

/** Returns where the coded pixels end that begin at `from`: at the first marker that is not theirs. */
const codedEnd = (bytes: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at)) {
    // Stuffed bytes are skipped here, because each call of `indexOf` costs as much as many bytes.
    while (bytes[at] === 0xff && bytes[at + 1] === 0) at += 2
    if (bytes[at] !== 0xff) continue
    const first = at
    // Any number of 0xff may precede the byte that names the marker.
    while (bytes[at] === 0xff) at++
    const marker = bytes[at]
    if (marker === undefined) return bytes.length
    if (marker !== 0 && !isRestart(marker)) return first
  }
  return bytes.length
}

/** Returns where the next marker begins: at the last 0xff before a byte that may name one. */
const markerStart = (bytes: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at)) {
    // Skipped here for the same reason as in `codedEnd`.
    while (bytes[at] === 0xff && bytes[at + 1] === 0) at += 2
    if (bytes[at] !== 0xff) continue
    while (bytes[at] === 0xff) at++
    if (bytes[at] !== 0) return at - 1
  }
  return bytes.length
}

/**
 * Reads the segments of a JPEG between SOI and EOI, and ignores what decoders ignore: bytes between segments, and what follows
 * EOI, where phones write further pictures and films. Linear in the bytes. Fails with `malformed`, or `out_of_range` for too
 * many.
 */
export const jpegSegments = (bytes: Uint8Array): Result.Result<ReadonlyArray<JpegSegment>, ImageRefusal> => {
  const segments: Array<JpegSegment> = []
  if (u16be(bytes, 0) !== 0xffd8) return malformed("The image does not start like a JPEG.")
  for (let start = markerStart(bytes, 2); start + 1 < bytes.length;) {
    const at = start + 1
    const marker = u8(bytes, at)
    if (marker === jpegMarkers.end) return Result.succeed(segments)
    // A second start, a restart of coded pixels and reserved markers have no length and do not belong here.
    if (marker < 0xc0 || isRestart(marker) || marker === jpegMarkers.start) {
      return malformed("The JPEG has a segment that is out of place.")
    }
    const headEnd = at + 1 + u16be(bytes, at + 1)
    if (at + 3 > bytes.length || headEnd > bytes.length) return truncated
    if (headEnd < at + 3) return malformed("The JPEG has a segment with a wrong length.")
    const end = marker === jpegMarkers.scan ? codedEnd(bytes, headEnd) : headEnd
    if (segments.length === PARTS_MAX) return tooMany("JPEG", "segments", PARTS_MAX)
    segments.push({ marker, start, headEnd, end })
    start = markerStart(bytes, end)
  }
  return truncated
}
