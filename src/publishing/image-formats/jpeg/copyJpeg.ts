import * as Result from "effect/Result"
import { copyOf, isTextAt } from "../shared/bytes.ts"
import { exifOf } from "../shared/exif.ts"
import type { ImageRefusal } from "../shared/refusal.ts"
import { EXIF_NAME, isExif, orientationIn } from "./jpegExif.ts"
import { jpegMarkers, jpegSegments, type JpegSegment } from "./jpegSegments.ts"

const PROFILE_NAME = "ICC_PROFILE\0"
const JFIF_NAME = "JFIF\0"
const ADOBE_NAME = "Adobe"

/** Bytes of a JFIF segment's data without its thumbnail. The last two are the thumbnail's dimensions. */
const JFIF_BYTES = 14
/** Bytes of an Adobe segment's data. The last one names the colour space. */
const ADOBE_BYTES = 12

/** Makes a segment. */
const segmentOf = (marker: number, data: Uint8Array, end: Uint8Array): Uint8Array => {
  const length = 2 + data.length + end.length
  return Uint8Array.of(0xff, marker, length >>> 8, length & 0xff, ...data, ...end)
}

const exifSegment = (orientation: number) =>
  segmentOf(
    jpegMarkers.app1,
    Uint8Array.from(EXIF_NAME, (it) => it.charCodeAt(0)),
    exifOf(orientation)
  )

/** The replacement of an application segment: itself (`true`), other bytes, or nothing. */
type Rewriting = true | Uint8Array | undefined

const rewriteNamed = (bytes: Uint8Array, segment: JpegSegment): Rewriting => {
  const { headEnd, marker, start } = segment
  const at = start + 4
  const length = headEnd - at
  const isNamed = (name: string) => length >= name.length && isTextAt(bytes, at, name)
  switch (marker) {
    case jpegMarkers.app0:
      return isNamed(JFIF_NAME) && length >= JFIF_BYTES
        ? segmentOf(marker, bytes.subarray(at, at + JFIF_BYTES - 2), Uint8Array.of(0, 0))
        : undefined
    case jpegMarkers.app1: {
      if (!isExif(bytes, segment)) return undefined
      const orientation = orientationIn(bytes, segment)
      return orientation === undefined ? undefined : exifSegment(orientation)
    }
    case jpegMarkers.app2:
      // A profile can hold texts, about colours and devices. The picture changes without it.
      return isNamed(PROFILE_NAME) ? true : undefined
    case jpegMarkers.app14:
      return isNamed(ADOBE_NAME) && length >= ADOBE_BYTES
        ? segmentOf(marker, bytes.subarray(at, at + ADOBE_BYTES), new Uint8Array(0))
        : undefined
    default:
      return undefined
  }
}

const isApplication = (marker: number) => marker >= jpegMarkers.app0 && marker <= jpegMarkers.app15

/** Copies a JPEG without the segments that do not change how it looks, and without what follows its end. */
export const copyJpeg = (bytes: Uint8Array): Result.Result<ReadonlyArray<Uint8Array>, ImageRefusal> =>
  Result.map(jpegSegments(bytes), (segments) => {
    const copy = copyOf(bytes)
    let hasJfif = false
    let hasExif = false
    let hasScan = false
    copy.keep(0, 2)
    for (const segment of segments) {
      if (segment.marker === jpegMarkers.comment) continue
      if (!isApplication(segment.marker)) {
        hasScan ||= segment.marker === jpegMarkers.scan
        copy.keep(segment.start, segment.end)
        continue
      }
      // Decoders settle the colours before the pixels begin.
      const rewriting = hasScan ? undefined : rewriteNamed(bytes, segment)
      if (rewriting === true) copy.keep(segment.start, segment.end)
      else if (rewriting !== undefined) {
        // Only the first of these counts.
        if (segment.marker === jpegMarkers.app0 ? hasJfif : segment.marker === jpegMarkers.app1 && hasExif)
          continue
        copy.put(rewriting)
      }
      hasJfif ||= segment.marker === jpegMarkers.app0 && rewriting !== undefined
      hasExif ||= isExif(bytes, segment)
    }
    copy.put(Uint8Array.of(0xff, jpegMarkers.end))
    return copy.done()
  })
