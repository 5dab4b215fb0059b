import {
  EXTRA_AES,
  EXTRA_UNICODE_COMMENT,
  EXTRA_UNICODE_PATH,
  EXTRA_ZIP64,
  extraFieldsOf,
  hasOtherKind,
  isZip64True,
  LONG_BYTES
} from "./extraFields.ts"
import { ambiguous, contradicted, type Refused } from "./refusal.ts"
import { isUtf8, repeatedText } from "./unicodeText.ts"

/** An entry as the directory has it, which its header before the data has to repeat. */
export interface PlacedEntry {
  readonly offset: number
  readonly name: string
  readonly rawName: Uint8Array
  readonly rawComment: Uint8Array
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

/** Returns the refusal of an entry that the header before its data describes otherwise than the directory. */
const otherwise = (fact: string) => contradicted(fact, "before its data and in the directory")

/** Returns true when the header has the sizes of the directory, or leaves them to the descriptor. */
const hasSizes = (view: DataView, entry: PlacedEntry, zip64: Uint8Array = NO_FIELD) => {
  const { compressedBytes, offset, unpackedBytes } = entry
  const isLate = hasDescriptor(entry)
  const said = [view.getUint32(offset + 22, true), view.getUint32(offset + 18, true)]
  const longBytes = said.filter((size) => size === IN_ZIP64).length * LONG_BYTES
  const isZip64 = (sizes: ReadonlyArray<number>) =>
    isZip64True(zip64, sizes) &&
    isZip64True(
      zip64.subarray(0, longBytes),
      sizes.filter((_, place) => said[place] === IN_ZIP64)
    )
  const sizes = [unpackedBytes, compressedBytes]
  return (
    said.every((size, place) => size === IN_ZIP64 || size === sizes[place] || (isLate && size === 0)) &&
    zip64.length >= longBytes &&
    // A writer that packs as it goes knows neither size, or only that of the file.
    (isZip64(sizes) || (isLate && (zip64.every((byte) => byte === 0) || isZip64([unpackedBytes, 0]))))
  )
}

/**
 * Returns true when the fields before the data repeat the texts of the directory. A name in a code page has one Unicode form, that
 * of the directory.
 */
const hasTexts = (extra: ReadonlyMap<number, Uint8Array>, { name, rawComment, rawName }: PlacedEntry) => {
  const path = extra.get(EXTRA_UNICODE_PATH)
  const comment = extra.get(EXTRA_UNICODE_COMMENT)
  const text = path && repeatedText(path, rawName)
  return (
    (path === undefined || (text !== undefined && (text === name || isUtf8(rawName)))) &&
    (comment === undefined || repeatedText(comment, rawComment) !== undefined)
  )
}

const hasName = (bytes: Uint8Array, view: DataView, { offset, rawName }: PlacedEntry) =>
  view.getUint16(offset + 26, true) === rawName.length &&
  rawName.every((byte, place) => bytes[offset + HEADER_BYTES + place] === byte)

/** The header before the data of an entry. */
interface Header {
  readonly dataOffset: number
  /** It has the field of zip64, so that the numbers behind the data are long. */
  readonly isLong: boolean
}

/** Returns the refusal of the extra fields of a header, if they say another thing than the directory. */
const extraRefusal = (
  extra: ReadonlyMap<number, Uint8Array> | undefined,
  view: DataView,
  entry: PlacedEntry
): Refused | undefined => {
  if (extra === undefined)
    return ambiguous("The archive has extra fields before the data of an entry that are damaged.")
  if (!hasTexts(extra, entry)) return otherwise("the name or comment of an entry")
  if (extra.has(EXTRA_AES)) return otherwise("the encryption of an entry")
  if (hasOtherKind(extra)) return otherwise("the kind of an entry")
  const checksum = view.getUint32(entry.offset + 14, true)
  if (checksum !== entry.crc32 && !(hasDescriptor(entry) && checksum === 0))
    return otherwise("the checksum of an entry")
  return hasSizes(view, entry, extra.get(EXTRA_ZIP64)) ? undefined : otherwise("the sizes of an entry")
}

/**
 * Returns the header before the data of an entry. Throws when it contradicts the directory: a program that reads from the start
 * knows the header alone.
 */
export const headerOf = (bytes: Uint8Array, view: DataView, entry: PlacedEntry): Header => {
  const { flags, method, offset, rawName } = entry
  if (view.getUint32(offset, true) !== SIGNATURE)
    throw ambiguous("The archive is damaged: an entry of its directory is not where the directory says.")
  if (!hasName(bytes, view, entry)) throw otherwise("the name of an entry")
  if (((view.getUint16(offset + 6, true) ^ flags) & ~FLAGS_LEVEL) !== 0)
    throw otherwise("the flags of an entry")
  if (view.getUint16(offset + 8, true) !== method) throw otherwise("the method of an entry")
  const extraOffset = offset + HEADER_BYTES + rawName.length
  const dataOffset = extraOffset + view.getUint16(offset + 28, true)
  const extra = dataOffset > bytes.length ? undefined : extraFieldsOf(bytes.subarray(extraOffset, dataOffset))
  const refused = extraRefusal(extra, view, entry)
  if (refused !== undefined) throw refused
  return { dataOffset, isLong: extra?.has(EXTRA_ZIP64) === true }
}
