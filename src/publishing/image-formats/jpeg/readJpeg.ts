import * as Result from "effect/Result"
import { u16be, u8 } from "../shared/bytes.ts"
import { asTurned } from "../shared/exif.ts"
import { malformed, outOfRange, spelled, type ImageFacts, type ImageRefusal } from "../shared/refusal.ts"
import { isExif, orientationIn } from "./jpegExif.ts"
import { jpegMarkers, jpegSegments, type JpegSegment } from "./jpegSegments.ts"

/** Maximum number of scans of one JPEG. Each may touch every pixel; cameras and programs write a dozen. */
const SCANS_MAX = 100

/** True for the markers of a frame, SOF0 to SOF15. DHT, JPG and DAC stand among them. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** True for the frames that browsers show: baseline, extended sequential and progressive, Huffman coded. */
const isShownFrame = (marker: number) => marker <= 0xc2

/** True for arithmetic coding, hierarchical progressions, and the extensions of JPEG. */
const isStrange = (marker: number) =>
  marker === 0xc8 ||
  marker === 0xcc ||
  marker === 0xde ||
  marker === 0xdf ||
  (marker >= 0xf0 && marker <= 0xfd)

/** DNL: the height, given after the pixels. */
const LATE_HEIGHT = 0xdc

const unsupported: Result.Result<never, ImageRefusal> = Result.fail({
  code: "unsupported_type",
  message: "This kind of JPEG is not supported. Save it as a baseline or progressive JPEG with 8 bits."
})

const readFrame = (bytes: Uint8Array, frame: JpegSegment): Result.Result<ImageFacts, ImageRefusal> => {
  const length = frame.headEnd - frame.start - 4
  const at = frame.start + 4
  if (length < 6) return malformed("The JPEG has no valid header.")
  const [height, width, components] = [u16be(bytes, at + 1), u16be(bytes, at + 3), u8(bytes, at + 5)]
  if (u8(bytes, at) !== 8) return unsupported
  if (height === 0 || width === 0 || length !== 6 + 3 * components || components < 1 || components > 4) {
    return malformed("The JPEG has no valid header.")
  }
  return Result.succeed({ width, height, frames: 1 })
}

const isScanSensible = (bytes: Uint8Array, scan: JpegSegment) => {
  const components = u8(bytes, scan.start + 4)
  return components >= 1 && components <= 4 && scan.headEnd - scan.start - 4 === 4 + 2 * components
}

/** Reads the container of a JPEG up to its EOI. Fails with `malformed`, `unsupported_type` or `out_of_range`. */
export const readJpeg = (bytes: Uint8Array): Result.Result<ImageFacts, ImageRefusal> => {
  const segments = jpegSegments(bytes)
  if (Result.isFailure(segments)) return Result.fail(segments.failure)
  let facts: Result.Result<ImageFacts, ImageRefusal> | undefined
  let exif: JpegSegment | undefined
  let scans = 0
  for (const segment of segments.success) {
    if (isStrange(segment.marker)) return unsupported
    if (segment.marker === LATE_HEIGHT) return malformed("The JPEG gives its height twice.")
    if (isFrame(segment.marker)) {
      if (!isShownFrame(segment.marker)) return unsupported
      if (facts !== undefined) return malformed("The JPEG has more than one header.")
      facts = readFrame(bytes, segment)
    } else if (segment.marker === jpegMarkers.scan) {
      if (facts === undefined || !isScanSensible(bytes, segment)) {
        return malformed("The JPEG has a scan that is wrong or out of place.")
      }
      scans++
    } else if (exif === undefined && scans === 0 && isExif(bytes, segment)) exif = segment
  }
  if (facts === undefined || scans === 0) return malformed("The JPEG has no picture.")
  if (scans > SCANS_MAX) {
    return outOfRange(
      `The JPEG has ${spelled(scans)} scans; at most ${SCANS_MAX} are supported. Save it again.`
    )
  }
  const orientation = exif === undefined ? undefined : orientationIn(bytes, exif)
  return Result.map(facts, (it) => asTurned(it, orientation))
}
