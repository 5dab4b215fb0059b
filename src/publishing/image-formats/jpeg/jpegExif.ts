import { isTextAt } from "../shared/bytes.ts"
import { orientationOf } from "../shared/exif.ts"
import { jpegMarkers, type JpegSegment } from "./jpegSegments.ts"

/** The beginning of a segment that holds an EXIF. */
export const EXIF_NAME = "Exif\0\0"

/** Returns true for a segment with an EXIF. Programs read only the first one. */
export const isExif = (bytes: Uint8Array, { headEnd, marker, start }: JpegSegment): boolean =>
  marker === jpegMarkers.app1 &&
  headEnd - start - 4 >= EXIF_NAME.length &&
  isTextAt(bytes, start + 4, EXIF_NAME)

/** Returns the orientation in the EXIF of a segment, as {@link orientationOf} does. */
export const orientationIn = (bytes: Uint8Array, { headEnd, start }: JpegSegment): number | undefined =>
  orientationOf(bytes, start + 4 + EXIF_NAME.length, headEnd)
