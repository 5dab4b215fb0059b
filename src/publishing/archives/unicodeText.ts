import { crc32 } from "../image-formats/shared/crc32.ts"

/** Bytes of a Unicode field before its text: a version and the checksum of the text that it repeats. */
const HEAD_BYTES = 5
const VERSION = 1

/** Code pages of names in old archives whose letters take up to two bytes. The second one may be ASCII. */
const WIDE_CODE_PAGES = ["shift_jis", "gb18030", "big5", "euc-kr"]

const decoded = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns true for bytes that are UTF-8, as ASCII is. */
export const isUtf8 = (bytes: Uint8Array): boolean => decoded(bytes, "utf-8") !== undefined

/** Returns true when a text has a letter for each byte, with ASCII at the same places, as in any page of one byte. */
const isLetterForByte = (bytes: Uint8Array, text: string) => {
  let at = 0
  for (const letter of text) {
    const byte = bytes[at++]
    if (byte === undefined || (byte < 0x80 ? letter.charCodeAt(0) !== byte : letter.charCodeAt(0) < 0x80))
      return false
  }
  return at === bytes.length
}

const isSame = (one: Uint8Array, other: Uint8Array) =>
  one.length === other.length && one.every((byte, place) => byte === other[place])

/**
 * Returns the text of a Unicode field that repeats a name or a comment; undefined when it is another one. Bytes that are not UTF-8
 * are in a code page. No archive names it, so any page that gives the same text will do.
 */
export const repeatedText = (field: Uint8Array, bytes: Uint8Array): string | undefined => {
  const view = new DataView(field.buffer, field.byteOffset, field.byteLength)
  if (field.length < HEAD_BYTES || field[0] !== VERSION) return undefined
  if (view.getUint32(1, true) !== crc32(bytes, 0, bytes.length)) return undefined
  const unicode = field.subarray(HEAD_BYTES)
  const text = decoded(unicode, "utf-8")
  if (text === undefined) return undefined
  if (isUtf8(bytes)) return isSame(unicode, bytes) ? text : undefined
  const isInPage =
    isLetterForByte(bytes, text) || WIDE_CODE_PAGES.some((page) => decoded(bytes, page) === text)
  return isInPage ? text : undefined
}

/** Returns the bytes of a name as letters of their own, for programs that do not know their code page. */
export const lettersOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : PRIVATE_USE + byte)).join("")

const PRIVATE_USE = 0xe000
