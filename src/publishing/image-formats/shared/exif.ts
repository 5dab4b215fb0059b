import { u16be, u16le, u32be, u32le } from "./bytes.ts"

const ORIENTATION = 0x0112
const SHORT = 3

/**
 * Reads the orientation, 2 to 8, in the EXIF (a TIFF) from `from` to before `to`: how to turn and mirror the image.
 * Returns undefined for 1, which changes nothing, and for an EXIF without orientation or one that is broken. Reads only
 * the first directory.
 */
export const orientationOf = (bytes: Uint8Array, from: number, to: number): number | undefined => {
  const exif = bytes.subarray(from, to)
  const order = u16be(exif, 0)
  if (exif.length < 8 || (order !== 0x4949 && order !== 0x4d4d)) return undefined
  const [u16, u32] = order === 0x4949 ? [u16le, u32le] : [u16be, u32be]
  const directory = u32(exif, 4)
  if (u16(exif, 2) !== 42 || directory + 2 > exif.length) return undefined
  const last = Math.min(directory + 2 + 12 * u16(exif, directory), exif.length)
  for (let entry = directory + 2; entry + 12 <= last; entry += 12) {
    if (u16(exif, entry) !== ORIENTATION) continue
    const value = u16(exif, entry + 8)
    const isTold = u16(exif, entry + 2) === SHORT && u32(exif, entry + 4) === 1
    return isTold && value >= 2 && value <= 8 ? value : undefined
  }
  return undefined
}

/** The first orientation that lays an image on its side. */
const FIRST_ON_SIDE = 5

/** Returns an image with the sides that its readers see: width and height change places when its EXIF turns it by a quarter. */
export const asTurned = <Image extends { readonly width: number; readonly height: number }>(
  image: Image,
  orientation: number | undefined
): Image =>
  orientation !== undefined && orientation >= FIRST_ON_SIDE
    ? { ...image, width: image.height, height: image.width }
    : image

/** Makes an EXIF with the orientation alone: a directory of one entry. */
export const exifOf = (orientation: number): Uint8Array =>
  // prettier-ignore
  Uint8Array.of(
    0x4d, 0x4d, 0, 42, 0, 0, 0, 8,
    0, 1,
    0x01, 0x12, 0, SHORT, 0, 0, 0, 1, 0, orientation, 0, 0,
    0, 0, 0, 0
  )
