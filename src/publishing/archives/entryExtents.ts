import { hasDescriptor, HEADER_BYTES, headerOf, type PlacedEntry } from "./entryHeader.ts"
import { ambiguous, contradicted, Refused } from "./refusal.ts"

const DESCRIPTOR_SIGNATURE = 0x08074b50
const DESCRIPTOR_FIRST_BYTE = DESCRIPTOR_SIGNATURE & 0xff
/** Bytes of a checksum and two sizes, without a signature. */
const [SHORT_DESCRIPTOR_BYTES, LONG_DESCRIPTOR_BYTES] = [12, 20]
const METHOD_STORED = 0

/** The place of an entry: of its data, and of the numbers behind it, which reach to the next entry. */
interface Extent {
  readonly dataOffset: number
  readonly dataEnd: number
  readonly next: number
  /** The numbers behind the data are long. */
  readonly isLong: boolean
}

const hasSignature = (view: DataView, { dataEnd }: Extent) =>
  view.getUint32(dataEnd, true) === DESCRIPTOR_SIGNATURE

const hidden = () => ambiguous("The archive has bytes between its entries that belong to none of them.")

const otherLength = () =>
  ambiguous(
    "The archive has the sizes of an entry behind its data in a different form than its header announces."
  )

/**
 * Checks that the numbers behind the data are here and nowhere else: long or short, with a signature or without. A checksum that
 * looks like the signature would be taken for it.
 */
const checkDescriptor = (view: DataView, extent: Extent, entry: PlacedEntry) => {
  const { dataEnd, isLong, next } = extent
  if (dataEnd + 4 > next) throw hidden()
  const at = hasSignature(view, extent) ? dataEnd + 4 : dataEnd
  const bytes = next - at
  if (bytes === (isLong ? SHORT_DESCRIPTOR_BYTES : LONG_DESCRIPTOR_BYTES)) throw otherLength()
  if (bytes !== (isLong ? LONG_DESCRIPTOR_BYTES : SHORT_DESCRIPTOR_BYTES)) throw hidden()
  const size = (place: number) =>
    isLong ? Number(view.getBigUint64(place, true)) : view.getUint32(place, true)
  const isTrue =
    view.getUint32(at, true) === entry.crc32 &&
    size(at + 4) === entry.compressedBytes &&
    size(at + (isLong ? 12 : 8)) === entry.unpackedBytes
  if (!isTrue)
    throw contradicted("the checksum and sizes of an entry", "behind its data and in the directory")
}

/**
 * Returns true when stored data seems to end elsewhere. A program that reads from the start looks for a signature with the size
 * of the data before it. Where it has none, such a program looks in all bytes that follow, and may believe any.
 */
const hasOtherEnd = (bytes: Uint8Array, view: DataView, extent: Extent) => {
  const { dataEnd, dataOffset } = extent
  const isSigned = hasSignature(view, extent)
  const end = isSigned ? dataEnd : bytes.length - 12
  for (let at = dataOffset; at >= 0 && at < end; at = bytes.indexOf(DESCRIPTOR_FIRST_BYTE, at + 1))
    if (
      view.getUint32(at, true) === DESCRIPTOR_SIGNATURE &&
      (!isSigned || view.getUint32(at + 8, true) === at - dataOffset)
    )
      return true
  return false
}

const endsElsewhere = () =>
  new Refused(
    "ambiguous",
    "The archive has an uncompressed entry whose end some programs find in another place. Pack the files again with compression, as a file on a disk rather than into a stream."
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
    const header = headerOf(bytes, view, entry)
    const dataEnd = header.dataOffset + entry.compressedBytes
    const extent: Extent = { ...header, dataEnd, next }
    if (!hasDescriptor(entry)) {
      if (dataEnd !== next) throw hidden()
    } else {
      checkDescriptor(view, extent, entry)
      if (entry.method === METHOD_STORED && hasOtherEnd(bytes, view, extent)) throw endsElsewhere()
    }
    end = next
  })
  if (end !== directoryOffset) throw hidden()
}
