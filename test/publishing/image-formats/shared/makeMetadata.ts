import { be16, be32, bytesOf } from "./makeBytes.ts"

/** Texts that tests plant in images as metadata. A public copy holds none of them. */
export const planted = {
  camera: "PLANTED-CAMERA-OWNER",
  gps: "PLANTED-GPS-AREA",
  thumbnail: "PLANTED-THUMBNAIL",
  xmp: "PLANTED-XMP-CREATOR",
  iptc: "PLANTED-IPTC-CAPTION",
  comment: "PLANTED-COMMENT",
  unknown: "PLANTED-UNKNOWN",
  trailer: "PLANTED-TRAILER"
} as const

/** An EXIF (a big-endian TIFF) of a camera with its orientation, its owner, where it was and a thumbnail. */
export const plantedExif = (orientation: number): Uint8Array => {
  const entry = (tag: number, type: number, count: number, value: ReadonlyArray<number>) => [
    ...be16(tag),
    ...be16(type),
    ...be32(count),
    ...value
  ]
  const camera = bytesOf(planted.camera, 0)
  const gps = bytesOf("ASCII\0\0\0", planted.gps)
  const thumbnail = bytesOf([0xff, 0xd8], planted.thumbnail, [0xff, 0xd9])
  // The directories are of fixed size: 8 of header, 2 + 3 × 12 + 4, 2 + 2 × 12 + 4, 2 + 2 × 12 + 4.
  const [gpsAt, thumbnailAt, dataAt] = [50, 80, 110]
  return bytesOf(
    "MM\0*",
    be32(8),
    be16(3),
    entry(0x0112, 3, 1, [...be16(orientation), 0, 0]),
    entry(0x8825, 4, 1, be32(gpsAt)),
    entry(0xa430, 2, camera.length, be32(dataAt)),
    be32(thumbnailAt),
    be16(2),
    entry(0x0000, 1, 4, [2, 3, 0, 0]),
    entry(0x001c, 7, gps.length, be32(dataAt + camera.length)),
    be32(0),
    be16(2),
    entry(0x0201, 4, 1, be32(dataAt + camera.length + gps.length)),
    entry(0x0202, 4, 1, be32(thumbnail.length)),
    be32(0),
    camera,
    gps,
    thumbnail
  )
}

export const plantedXmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description dc:creator="${planted.xmp}" xmlns:dc="http://purl.org/dc/elements/1.1/"/></rdf:RDF></x:xmpmeta>`

/** Returns the planted texts that the bytes contain. */
export const plantedIn = (bytes: Uint8Array): ReadonlyArray<string> =>
  Object.values(planted).filter((it) => Buffer.from(bytes).includes(it, 0, "latin1"))
