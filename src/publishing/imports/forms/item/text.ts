/** The text of a file, and whether its encoding was guessed. */
export interface DecodedText {
  readonly text: string
  readonly isGuessed: boolean
}

const decodedAs = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Bytes that the guess of an encoding looks at. */
const LOOKED_AT = 65_536

/** Returns the encoding of bytes that are not UTF-8. */
const guessedEncoding = (bytes: Uint8Array): string => {
  const sample = bytes.subarray(0, LOOKED_AT)
  let even = 0
  let odd = 0
  let high = 0
  let runs = 0
  for (const [at, byte] of sample.entries()) {
    if (byte === 0 && at % 2 === 0) even++
    else if (byte === 0) odd++
    if (byte < 0x80) continue
    high++
    if ((sample[at - 1] ?? 0) >= 0x80 || (sample[at + 1] ?? 0) >= 0x80) runs++
  }
  if (even + odd > sample.length / 8) return even > odd ? "utf-16be" : "utf-16le"
  if (runs < high * 0.6) return "windows-1252"
  const japanese = decodedAs(bytes, "shift_jis")
  const kana = japanese?.slice(0, LOOKED_AT).match(/[\u3040-\u30FF]/g)?.length ?? 0
  if (japanese !== undefined && kana > high / 20) return "shift_jis"
  return decodedAs(bytes, "gbk") === undefined ? "windows-1252" : "gbk"
}

const marksOf: ReadonlyArray<readonly [bytes: ReadonlyArray<number>, encoding: string]> = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"]
]

/** Decodes a text as UTF-8, by its byte order mark, or by a guess. Never fails. */
export const decodedText = (bytes: Uint8Array): DecodedText => {
  const marked = marksOf.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))
  if (marked !== undefined) return { text: new TextDecoder(marked[1]).decode(bytes), isGuessed: false }
  const text = decodedAs(bytes, "utf-8")
  if (text !== undefined && !text.includes("\0")) return { text, isGuessed: false }
  return { text: new TextDecoder(guessedEncoding(bytes)).decode(bytes), isGuessed: true }
}

const JOINING = "\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF"
/** Characters that no text shows. Zero-width spaces stay between letters of scripts that write no spaces. */
const UNSEEN = new RegExp(
  `[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F\\u00AD\\u2060\\uFEFF\\uFFFE\\uFFFF]|(?<![${JOINING}])\\u200B|\\u200B(?![${JOINING}])`,
  "g"
)

/** Returns a text without characters that cannot be shown. */
export const cleanText = (text: string): string => {
  const wellFormed = text.isWellFormed() ? text : text.replaceAll(/[\uD800-\uDFFF]/gu, "")
  return UNSEEN.test(wellFormed) ? wellFormed.replaceAll(UNSEEN, "") : wellFormed
}

/** Returns the words of a title or a heading, without what sources write in different ways. */
export const comparable = (text: string) =>
  text
    .normalize("NFKC")
    .replaceAll(/[\s\p{P}]+/gu, " ")
    .trim()
    .toLowerCase()
