import { EXTRA_AES, EXTRA_UNICODE_PATH, EXTRA_ZIP64, extraFieldsOf, isZip64True } from "./extraFields.ts"

/** An entry as the directory has it, which its header before the data has to repeat. */
export interface PlacedEntry {
  readonly offset: number
  readonly rawName: Uint8Array
  readonly flags: number
  readonly method: number
  readonly crc32: number
  readonly compressedBytes: number
  readonly unpackedBytes: number
}

/** Bytes of a header without its name and extra area. */
export const HEADER_BYTES = 30

const SIGNATURE = 0x04034b50
/** Two bits that tell of the level of compression, which some writers set in one place alone. */
const FLAGS_LEVEL = 0x6
const FLAG_DESCRIPTOR = 0x8
/** The size of an entry that has it in the field of zip64. */
const IN_ZIP64 = 0xffffffff

/** Returns true for an entry that repeats its sizes and its checksum behind the data. */
export const hasDescriptor = ({ flags }: PlacedEntry): boolean => (flags & FLAG_DESCRIPTOR) !== 0

/** Returns true when the header has the sizes and the checksum of the directory, or leaves them to the descriptor. */
const hasNumbers = (view: DataView, entry: PlacedEntry, zip64: Uint8Array | undefined) => {
  const { compressedBytes, crc32, offset, unpackedBytes } = entry
  const isLate = hasDescriptor(entry)
  const isRight = (said: number, right: number) => said === right || (isLate && said === 0)
  const isSize = (said: number, right: number) =>
    isRight(said, right) || (said === IN_ZIP64 && zip64 !== undefined)
  return (
    isRight(view.getUint32(offset + 14, true), crc32) &&
    isSize(view.getUint32(offset + 18, true), compressedBytes) &&
    isSize(view.getUint32(offset + 22, true), unpackedBytes) &&
    (zip64 === undefined ||
      isZip64True(zip64, [unpackedBytes, compressedBytes]) ||
      (isLate && zip64.every((byte) => byte === 0)))
  )
}

/**
 * Returns the offset of the data of an entry, or undefined when the header before it contradicts the directory. A program that
 * reads from the start knows the header alone.
 */
export const dataOffsetOf = (bytes: Uint8Array, view: DataView, entry: PlacedEntry): number | undefined => {
  const { flags, method, offset, rawName } = entry
  const extraOffset = offset + HEADER_BYTES + rawName.length
  const dataOffset = extraOffset + view.getUint16(offset + 28, true)
  if (dataOffset > bytes.length) return undefined
  const isNamed =
    view.getUint32(offset, true) === SIGNATURE &&
    view.getUint16(offset + 26, true) === rawName.length &&
    rawName.every((byte, place) => bytes[offset + HEADER_BYTES + place] === byte)
  const isPacked =
    ((view.getUint16(offset + 6, true) ^ flags) & ~FLAGS_LEVEL) === 0 &&
    view.getUint16(offset + 8, true) === method
  const extra = extraFieldsOf(bytes.subarray(extraOffset, dataOffset))
  if (!isNamed || !isPacked || extra === undefined) return undefined
  if (extra.has(EXTRA_UNICODE_PATH) || extra.has(EXTRA_AES)) return undefined
  return hasNumbers(view, entry, extra.get(EXTRA_ZIP64)) ? dataOffset : undefined
}
