const HEADER_BYTES = 4

/** Bytes of a number in the field of zip64. */
export const LONG_BYTES = 8

/** Id of the field that has the numbers of zip64. */
export const EXTRA_ZIP64 = 0x0001
/** Id of the field that has another name of the entry. */
export const EXTRA_UNICODE_PATH = 0x7075
/** Id of the field that has the method of an entry encrypted by AES. */
export const EXTRA_AES = 0x9901

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/**
 * Returns the fields of an extra area by their ids, the first of each. Returns undefined when one ends beyond the area, or
 * when zip64 is there twice, of which programs read one or the other. Fewer bytes than a field has are padding.
 */
export const extraFieldsOf = (area: Uint8Array): ReadonlyMap<number, Uint8Array> | undefined => {
  const view = viewOf(area)
  const fields = new Map<number, Uint8Array>()
  let at = 0
  while (at + HEADER_BYTES <= area.length) {
    const id = view.getUint16(at, true)
    const end = at + HEADER_BYTES + view.getUint16(at + 2, true)
    if (end > area.length || (id === EXTRA_ZIP64 && fields.has(id))) return undefined
    if (!fields.has(id)) fields.set(id, area.subarray(at + HEADER_BYTES, end))
    at = end
  }
  return fields
}

/**
 * Returns true when the field of zip64 repeats numbers that are known, in their order, of which it may leave out some. Programs
 * that read it, and those that look at it only where the record leaves a number out, then read the same.
 */
export const isZip64True = (field: Uint8Array, known: ReadonlyArray<number>): boolean => {
  const view = viewOf(field)
  const numbers = [...known]
  for (let at = 0; at + LONG_BYTES <= field.length; at += LONG_BYTES) {
    const said = Number(view.getBigUint64(at, true))
    while (numbers.length > 0 && numbers[0] !== said) numbers.shift()
    if (numbers.shift() === undefined) return false
  }
  return true
}
