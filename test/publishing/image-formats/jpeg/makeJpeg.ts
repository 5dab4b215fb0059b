import sharp from "sharp"
import { be16, bytesOf, inserted, noise, type Part } from "../shared/makeBytes.ts"
import { planted, plantedExif, plantedXmp } from "../shared/makeMetadata.ts"

/** A segment with its length. */
export const jpegSegment = (marker: number, ...parts: ReadonlyArray<Part>): Uint8Array => {
  const data = bytesOf(...parts)
  return bytesOf(0xff, marker, be16(data.length + 2), data)
}

export interface JpegOptions {
  readonly width?: number
  readonly height?: number
  readonly seed?: number
  readonly isProgressive?: boolean
  /** CMYK brings an Adobe segment. */
  readonly colours?: "srgb" | "cmyk" | "b-w"
  /** Whole segments behind SOI. */
  readonly segments?: ReadonlyArray<Uint8Array>
  readonly trailer?: Uint8Array
}

/** A valid JPEG of noise; 16 × 8 unless told. */
export const jpegOf = async (options: JpegOptions = {}): Promise<Uint8Array> => {
  const { width = 16, height = 8, seed = 1, isProgressive = false, colours = "srgb" } = options
  const picture = sharp(noise(seed, width * height * 3), { raw: { width, height, channels: 3 } })
    .toColourspace(colours)
    .jpeg({ progressive: isProgressive })
  const jpeg = inserted(new Uint8Array(await picture.toBuffer()), 2, ...(options.segments ?? []))
  return bytesOf(jpeg, options.trailer ?? [])
}

/** SOI, one SOF, one scan of two coded bytes, EOI: a container that no test decodes. */
export const jpegContainer = (width: number, height: number, frame = 0xc0): Uint8Array =>
  bytesOf(
    [0xff, 0xd8],
    jpegSegment(frame, 8, be16(height), be16(width), 1, [1, 0x11, 0]),
    jpegSegment(0xda, 1, [1, 0, 0, 63, 0]),
    [0x12, 0x34, 0xff, 0xd9]
  )

/** Segments of metadata, with a planted text in each. */
export const jpegMetadata = (orientation: number): ReadonlyArray<Uint8Array> => [
  jpegSegment(0xe1, "Exif\0\0", plantedExif(orientation)),
  jpegSegment(0xe1, "http://ns.adobe.com/xap/1.0/\0", plantedXmp),
  jpegSegment(0xe0, "JFXX\0", 0x10, planted.thumbnail),
  jpegSegment(0xe2, "MPF\0", planted.unknown),
  jpegSegment(0xed, "Photoshop 3.0\u00008BIM\u0004\u0004\0\0\0\0\0\u0014", planted.iptc),
  jpegSegment(0xef, planted.unknown),
  jpegSegment(0xfe, planted.comment)
]

/** ICC profiles come in segments of at most 64 KiB. */
export const jpegProfile = (profile: Uint8Array): ReadonlyArray<Uint8Array> => {
  const size = 65_000
  const count = Math.ceil(profile.length / size)
  return Array.from({ length: count }, (_, place) =>
    jpegSegment(0xe2, "ICC_PROFILE\0", place + 1, count, profile.subarray(place * size, (place + 1) * size))
  )
}
