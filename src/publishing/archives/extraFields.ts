const HEADER_BYTES = 4

/** Bytes of a number in the field of zip64. */
export const LONG_BYTES = 8

/** Bytes of the field of zip64 with all its numbers. The last one is the number of a disk. */
const FULL_BYTES = 3 * LONG_BYTES + 4

/** Id of the field that has the numbers of zip64. */
export const EXTRA_ZIP64 = 0x0001
/** Id of the field that repeats the name of the entry in Unicode. */
export const EXTRA_UNICODE_PATH = 0x7075
/** Id of the field that repeats the comment of the entry in Unicode. */
export const EXTRA_UNICODE_COMMENT = 0x6375
/** Id of the field that has the method of an entry encrypted by AES. */
export const EXTRA_AES = 0x9901
/** Id of the field of libarchive, which repeats the system and the attributes of the record. */
const EXTRA_LIBARCHIVE = 0x6c78
/** Id of the field of ASi for Unix, which has the mode of an entry, and the target of a link. */
const EXTRA_ASI_UNIX = 0x756e

/** Fields whose facts programs use, so that a second one could be another fact. */
const READ_ONCE: ReadonlySet<number> = new Set([EXTRA_ZIP64, EXTRA_UNICODE_PATH, EXTRA_UNICODE_COMMENT])

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/**
 * Returns the fields of an extra area by their ids, the first of each. Fewer bytes than a field has are padding. Returns undefined
 * when a field ends beyond the area. It does so, too, for two of a kind that programs use, because some read the last.
 */
export const extraFieldsOf = (area: Uint8Array): ReadonlyMap<number, Uint8Array> | undefined => {
  const view = viewOf(area)
  const fields = new Map<number, Uint8Array>()
  let at = 0
  while (at + HEADER_BYTES <= area.length) {
    const id = view.getUint16(at, true)
    const end = at + HEADER_BYTES + view.getUint16(at + 2, true)
    if (end > area.length || (READ_ONCE.has(id) && fields.has(id))) return undefined
    if (!fields.has(id)) fields.set(id, area.subarray(at + HEADER_BYTES, end))
    at = end
  }
  return fields
}

/**
 * Returns true for fields by which some programs make a link or a directory of an entry, while others do not know them.
 */
export const hasOtherKind = (fields: ReadonlyMap<number, Uint8Array>): boolean =>
  fields.has(EXTRA_LIBARCHIVE) || fields.has(EXTRA_ASI_UNIX)

/**
 * Returns true when the field of zip64 repeats known numbers in their order. It may leave some out. Behind all of them it may have the number of the only disk. Programs
 * that read it, and those that look at it only where the record leaves a number out, then read the same.
 */
export const isZip64True = (field: Uint8Array, known: ReadonlyArray<number>): boolean => {
  const view = viewOf(field)
  const numbers = [...known]
  const disk = field.length - (field.length % LONG_BYTES)
  if (disk !== field.length && (field.length !== FULL_BYTES || view.getUint32(disk, true) !== 0)) return false
  for (let at = 0; at < disk; at += LONG_BYTES) {
    const said = Number(view.getBigUint64(at, true))
    while (numbers.length > 0 && numbers[0] !== said) numbers.shift()
    if (numbers.shift() === undefined) return false
  }
  return true
}
