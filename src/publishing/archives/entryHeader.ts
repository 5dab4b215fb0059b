import {
  EXTRA_AES,
  EXTRA_UNICODE_PATH,
  EXTRA_ZIP64,
  extraFieldsOf,
  hasOtherKind,
  isZip64True,
  LONG_BYTES
} from "./extraFields.ts"

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
const NO_FIELD = new Uint8Array(0)

/** Returns true for an entry that repeats its sizes and its checksum behind the data. */
export const hasDescriptor = ({ flags }: PlacedEntry): boolean => (flags & FLAG_DESCRIPTOR) !== 0

/** Returns true when the header has the sizes and the checksum of the directory, or leaves them to the descriptor. */
const hasNumbers = (view: DataView, entry: PlacedEntry, zip64: Uint8Array = NO_FIELD) => {
  const { compressedBytes, crc32, offset, unpackedBytes } = entry
  const isLate = hasDescriptor(entry)
  const isRight = (said: number, right: number) => said === right || (isLate && said === 0)
  const sizes = [
    { said: view.getUint32(offset + 22, true), right: unpackedBytes },
    { said: view.getUint32(offset + 18, true), right: compressedBytes }
  ]
  const inZip64 = sizes.filter(({ said }) => said === IN_ZIP64).map(({ right }) => right)
  const isZip64Zero = isLate && zip64.every((byte) => byte === 0)
  return (
    isRight(view.getUint32(offset + 14, true), crc32) &&
    sizes.every(({ right, said }) => said === IN_ZIP64 || isRight(said, right)) &&
    zip64.length >= inZip64.length * LONG_BYTES &&
    (isZip64Zero ||
      (isZip64True(zip64, [unpackedBytes, compressedBytes]) &&
        isZip64True(zip64.subarray(0, inZip64.length * LONG_BYTES), inZip64)))
  )
}

/** The header before the data of an entry. */
interface Header {
  readonly dataOffset: number
  /** It has the field of zip64, so that the numbers behind the data are long. */
  readonly isLong: boolean
}

/**
 * Returns the header before the data of an entry, or undefined when it contradicts the directory. A program that reads from the
 * start knows the header alone.
 */
export const headerOf = (bytes: Uint8Array, view: DataView, entry: PlacedEntry): Header | undefined => {
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
  if (extra.has(EXTRA_UNICODE_PATH) || extra.has(EXTRA_AES) || hasOtherKind(extra)) return undefined
  const zip64 = extra.get(EXTRA_ZIP64)
  return hasNumbers(view, entry, zip64) ? { dataOffset, isLong: zip64 !== undefined } : undefined
}
