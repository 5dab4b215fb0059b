import { Refused } from "./refusal.ts"

/** The place of an entry in its archive, and what its data descriptor has to repeat. */
export interface PlacedEntry {
  readonly offset: number
  readonly rawName: Uint8Array
  readonly method: number
  readonly crc32: number
  readonly compressedBytes: number
  readonly unpackedBytes: number
}

const LOCAL_HEADER_SIGNATURE = 0x04034b50
const LOCAL_HEADER_BYTES = 30
const FLAG_DESCRIPTOR = 0x8
const DESCRIPTOR_SIGNATURE = 0x08074b50

/** Returns true when the header before the data says the name and the method of the directory. */
const isHeaderOf = (bytes: Uint8Array, view: DataView, { method, offset, rawName }: PlacedEntry) =>
  view.getUint32(offset, true) === LOCAL_HEADER_SIGNATURE &&
  view.getUint16(offset + 8, true) === method &&
  view.getUint16(offset + 26, true) === rawName.length &&
  rawName.every((byte, place) => bytes[offset + LOCAL_HEADER_BYTES + place] === byte)

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

/**
 * Checks that the entries follow each other without a gap, from the first byte to the directory. A program that reads from
 * the start then finds the same entries as one that reads the directory.
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
    if (entry.offset + LOCAL_HEADER_BYTES > next || !isHeaderOf(bytes, view, entry)) throw hidden()
    const flags = view.getUint16(entry.offset + 6, true)
    const lengths = view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true)
    const dataEnd = entry.offset + LOCAL_HEADER_BYTES + lengths + entry.compressedBytes
    const isWhole =
      (flags & FLAG_DESCRIPTOR) === 0
        ? dataEnd === next
        : dataEnd < next && isDescriptor(view, dataEnd, next, entry)
    if (!isWhole) throw hidden()
    end = next
  })
  if (end !== directoryOffset) throw hidden()
}
