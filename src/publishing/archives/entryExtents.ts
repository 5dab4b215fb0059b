import { dataOffsetOf, hasDescriptor, HEADER_BYTES, type PlacedEntry } from "./entryHeader.ts"
import { Refused } from "./refusal.ts"

const DESCRIPTOR_SIGNATURE = 0x08074b50

/** Returns true when a data descriptor in one of its four forms is exactly here. */
const isDescriptor = (view: DataView, start: number, end: number, entry: PlacedEntry) => {
  const length = end - start
  const hasSignature = length === 16 || length === 24
  if (!hasSignature && length !== 12 && length !== 20) return false
  if (hasSignature && view.getUint32(start, true) !== DESCRIPTOR_SIGNATURE) return false
  const at = hasSignature ? start + 4 : start
  const isLong = length >= 20
  const size = (place: number) =>
    isLong ? Number(view.getBigUint64(place, true)) : view.getUint32(place, true)
  return (
    view.getUint32(at, true) === entry.crc32 &&
    size(at + 4) === entry.compressedBytes &&
    size(at + (isLong ? 12 : 8)) === entry.unpackedBytes
  )
}

const hidden = () =>
  new Refused(
    "ambiguous",
    "The archive has bytes between its entries that belong to none of them. Pack it again with another program."
  )

const contradicted = () =>
  new Refused(
    "ambiguous",
    "The archive says of an entry one thing before its data, and another in its directory. Pack it again with another program."
  )

/**
 * Checks that the entries follow each other without a gap, from the first byte to the directory, and that each says the same
 * before its data as in the directory. A program that reads from the start then finds the same entries as one that reads the
 * directory.
 */
export const checkExtents = (
  bytes: Uint8Array,
  entries: ReadonlyArray<PlacedEntry>,
  directoryOffset: number
): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const placed = entries.toSorted((one, other) => one.offset - other.offset)
  let end = 0
  placed.forEach((entry, index) => {
    if (entry.offset !== end) throw hidden()
    const next = placed[index + 1]?.offset ?? directoryOffset
    if (entry.offset + HEADER_BYTES > next) throw hidden()
    const dataOffset = dataOffsetOf(bytes, view, entry)
    if (dataOffset === undefined) throw contradicted()
    const dataEnd = dataOffset + entry.compressedBytes
    const isWhole = hasDescriptor(entry)
      ? dataEnd < next && isDescriptor(view, dataEnd, next, entry)
      : dataEnd === next
    if (!isWhole) throw hidden()
    end = next
  })
  if (end !== directoryOffset) throw hidden()
}
