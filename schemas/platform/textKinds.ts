import { Schema } from "effect"

const letterOf = (...scripts: ReadonlyArray<string>) =>
  `[[\\p{L}\\p{M}]&&[${scripts.map((it) => `\\p{scx=${it}}`).join("")}]]`

const CURSIVE = ["Arab", "Syrc", "Nkoo", "Adlm", "Rohg", "Mong"]
const INDIC = ["Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Khmr", "Mymr"]
const UNSPACED = letterOf("Khmr", "Laoo", "Mymr", "Thai")

/** Invisible characters where writing needs them, since readers see what they do to their neighbours. */
const NEEDED = new RegExp(
  [
    // ZWJ within an emoji, the presentation of one, a keycap, and the flag of a region.
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})`,
    String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
    String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
    String.raw`(?<=\u{1F3F4})[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F}`,
    // ZWNJ and ZWJ after a letter of a script whose letters join: Persian, Hindi, Malayalam, Sinhala ….
    `(?<=${letterOf(...CURSIVE, ...INDIC)})[\\u200C\\u200D]`,
    // The zero width space between words of a script that writes no spaces.
    `(?<=${UNSPACED})\\u200B(?=${UNSPACED})`,
    // Forms of Han and Mongolian letters.
    String.raw`(?<=\p{Script=Han})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
    String.raw`(?<=[\p{Script=Mongolian}&&\p{L}])[\u180B-\u180F]`
  ].join("|"),
  "gv"
)

/** Control characters, and what is not seen or makes others seen elsewhere: an impersonator's means, elsewhere than above. */
export const REFUSED_IN_LINES =
  /[[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]--[\n\t]]/v
export const REFUSED_IN_A_LINE =
  /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB\u2028\u2029]/v

const codePointName = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** Refuses a character by its code point, as the last error of the text. Characters of `kept` are accepted. */
export const without = (refused: RegExp, kept?: RegExp) =>
  Schema.makeFilter(
    (text: string) => {
      if (!refused.test(text)) return true
      const needed = text.replaceAll(NEEDED, "")
      const found = refused.exec(kept === undefined ? needed : needed.replaceAll(kept, ""))
      return found === null || `Remove ${codePointName(found[0])}: this text cannot hold it`
    },
    { toJsonSchema: () => [{}, true] },
    true
  )

/** The soft hyphen, the byte order mark, and the zero width space where no script needs it. */
const DROPPED_IN_PROSE = new RegExp(
  String.raw`[\u00AD\uFEFF]|(?<!${UNSPACED})\u200B|\u200B(?!${UNSPACED})`,
  "gv"
)
const DIRECTION_MARKS = /[\u200E\u200F]/g

export const DROPPED_WORDS = "Soft hyphens, zero width spaces and byte order marks are dropped."

/** The words of an author, as word processors and web pages hand them over, or the text of a name. */
export interface TextKind {
  readonly description: string
  /** Removes the characters that the text is saved without. */
  readonly cleaned: (text: string) => string
  readonly without: (refused: RegExp) => ReturnType<typeof without>
}

export const nameText: TextKind = {
  description: "",
  cleaned: (text) => text,
  without: (refused) => without(refused)
}

const isBare = (text: string) => text.replaceAll(DIRECTION_MARKS, "").trim() === ""

/** Keeps the marks of direction, which a title in Hebrew or Arabic needs, and drops what cannot be seen at all. */
export const proseText: TextKind = {
  description: ` ${DROPPED_WORDS}`,
  cleaned: (text) => {
    const kept = text.replaceAll(DROPPED_IN_PROSE, "")
    return isBare(kept) ? "" : kept.trim()
  },
  without: (refused) => without(refused, DIRECTION_MARKS)
}
