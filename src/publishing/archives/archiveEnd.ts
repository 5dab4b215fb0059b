import { ambiguous, contradicted, Refused } from "./refusal.ts"

/** The least archive: one record of its end. */
export const END_BYTES = 22

const END_SIGNATURE = 0x06054b50
const COMMENT_BYTES_MAX = 0xffff
const LOCATOR_SIGNATURE = 0x07064b50
const LOCATOR_BYTES = 20
const ZIP64_SIGNATURE = 0x06064b50
const ZIP64_BYTES = 56
/** Numbers of a record that leaves them to the one of zip64. */
const [SHORT_IN_ZIP64, LONG_IN_ZIP64] = [0xffff, 0xffffffff]

/** Returns the refusal of an archive whose end and whose end of zip64 say different things. */
const otherwise = (fact: string) => contradicted(fact, "at its end and in ZIP64 before it")

const twoCounts = () => contradicted("the number of its entries", "for this part and for all parts")

const misplaced = () =>
  ambiguous("The archive is damaged: its directory does not have the place and the size that its end says.")

/** Returns the refusal of an archive that says to be a part of another. */
export const split = (): Refused =>
  new Refused(
    "unsupported_type",
    "The archive is one of several parts. Pack the files again as one ZIP, without splitting it into volumes."
  )

/**
 * Returns the offset of the end. Programs look for it from the last byte: some take the first signature that they find, some
 * the first whose comment fits. So the last signature is the end, and its comment reaches the last byte.
 */
const endOffsetOf = (view: DataView) => {
  const last = view.byteLength - END_BYTES
  for (let at = view.byteLength - 4; at >= Math.max(0, last - COMMENT_BYTES_MAX); at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue
    const commentEnd = at <= last ? at + END_BYTES + view.getUint16(at + 20, true) : view.byteLength + 1
    if (commentEnd === view.byteLength) return at
    throw new Refused(
      "ambiguous",
      commentEnd < view.byteLength
        ? "The archive has bytes after its end, as happens when it is written to a stream. Pack the files again as a file on a disk."
        : "The archive has a second end in its comment. Pack the files again without a comment."
    )
  }
  throw new Refused("ambiguous", "The archive is damaged: its end is missing. Send the whole file.")
}

/** The place of the directory of an archive. */
export interface DirectoryPlace {
  readonly offset: number
  readonly bytes: number
  readonly records: number
}

/** Reads the end of zip64. Some programs find it by its locator, and some by the place of the end. */
const readZip64 = (view: DataView, end: number): DirectoryPlace => {
  const long = (at: number) => Number(view.getBigUint64(at, true))
  const locator = end - LOCATOR_BYTES
  const at = locator - ZIP64_BYTES
  if (at < 0 || long(locator + 8) !== at || view.getUint32(at, true) !== ZIP64_SIGNATURE) throw misplaced()
  if (long(at + 4) !== ZIP64_BYTES - 12) throw misplaced()
  const disks = [locator + 4, at + 16, at + 20].map((place) => view.getUint32(place, true))
  if (disks.some((disk) => disk !== 0) || view.getUint32(locator + 16, true) !== 1) throw split()
  if (long(at + 24) !== long(at + 32)) throw twoCounts()
  return { offset: long(at + 48), bytes: long(at + 40), records: long(at + 32) }
}

/**
 * Checks the end of an archive, and returns the place of its directory. All programs find the same one: there is one end, its
 * numbers say one thing, and the directory reaches to it.
 */
export const readEnd = (bytes: Uint8Array): DirectoryPlace => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOffsetOf(view)
  const short = (at: number) => view.getUint16(end + at, true)
  const said: DirectoryPlace = {
    offset: view.getUint32(end + 16, true),
    bytes: view.getUint32(end + 12, true),
    records: short(10)
  }
  const hasZip64 = end >= LOCATOR_BYTES && view.getUint32(end - LOCATOR_BYTES, true) === LOCATOR_SIGNATURE
  const place = hasZip64 ? readZip64(view, end) : said
  const isDisk = (disk: number) => disk === 0 || (hasZip64 && disk === SHORT_IN_ZIP64)
  if (![short(4), short(6)].every(isDisk)) throw split()
  const isSame = (one: number, other: number, inZip64: number) =>
    one === other || (hasZip64 && one === inZip64)
  const counts = [short(8), said.records]
  if (!isSame(said.offset, place.offset, LONG_IN_ZIP64)) throw otherwise("the place of its directory")
  if (!isSame(said.bytes, place.bytes, LONG_IN_ZIP64)) throw otherwise("the size of its directory")
  if (!counts.every((count) => isSame(count, place.records, SHORT_IN_ZIP64)))
    throw hasZip64 ? otherwise("the number of its entries") : twoCounts()
  const directoryEnd = hasZip64 ? end - LOCATOR_BYTES - ZIP64_BYTES : end
  if (place.offset + place.bytes !== directoryEnd) throw misplaced()
  return place
}

/**
 * Returns an archive without its end of zip64, whose numbers an ordinary end can say. The library refuses one that is true
 * and not needed, as some writers make it.
 */
export const withoutZip64 = (bytes: Uint8Array): Uint8Array => {
  const { bytes: size, offset, records } = readEnd(bytes)
  const directoryEnd = offset + size
  const end = endOffsetOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (directoryEnd === end) return bytes
  const plain = new Uint8Array(directoryEnd + bytes.length - end)
  plain.set(bytes.subarray(0, directoryEnd))
  plain.set(bytes.subarray(end), directoryEnd)
  const view = new DataView(plain.buffer, directoryEnd)
  for (const at of [4, 6]) view.setUint16(at, 0, true)
  for (const at of [8, 10]) view.setUint16(at, records, true)
  view.setUint32(12, size, true)
  view.setUint32(16, offset, true)
  return plain
}
