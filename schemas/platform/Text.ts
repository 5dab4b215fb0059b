import { type JsonSchema, Schema, SchemaTransformation } from "effect"
import { hasHttpUrlForm, HTTP_URL_LENGTH_MAX } from "./httpUrl.ts"
import { isMediaPath, MEDIA_PATH } from "./mediaPath.ts"
import {
  DROPPED_WORDS,
  nameText,
  proseText,
  REFUSED_IN_A_LINE,
  REFUSED_IN_LINES,
  type TextKind
} from "./textKinds.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /** The `code` of the field error of a failing check; `invalid` by default. */
      readonly fieldCode?: string | undefined
    }
  }
}

/** PostgreSQL cannot store U+0000, and a lone surrogate has no UTF-8. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

const storable = Schema.makeFilter(isStorable, {
  message: "Remove U+0000 and halves of surrogate pairs: they cannot be stored",
  toJsonSchema: () => [{}, true]
})

/** Unicode text that every part of the service can store and send back unchanged. */
export const Text = Schema.String.check(storable)

/**
 * Adds keywords of JSON Schema to the OpenAPI document, and checks nothing.
 *
 * The document shows a schema as it is on the wire. A limit that stands behind a transformation is lost there, so the
 * encoded side repeats it with this.
 */
export const described = <T = string>(keywords: JsonSchema.JsonSchema) =>
  Schema.makeFilter<T>(() => true, { toJsonSchema: () => [keywords, true] })

const lengthOf = (text: string) => {
  let length = 0
  for (const _ of text) length++
  return length
}

/**
 * Returns true for a text of at most `limit` code points. A text of megabytes is refused by its length: a code point has
 * at most two UTF-16 code units.
 */
const hasAtMost = (text: string, limit: number) =>
  text.length <= limit || (text.length <= 2 * limit && lengthOf(text) <= limit)

/**
 * At most `limit` characters, counted in Unicode code points as JSON Schema does. It ends the checks of a longer text, so
 * that no pattern reads it.
 */
export const atMost = (limit: number) =>
  Schema.makeFilter(
    (text: string) => hasAtMost(text, limit),
    {
      expected: `at most ${limit} characters`,
      fieldCode: "too_long",
      toJsonSchema: () => ({ maxLength: limit })
    },
    true
  )

/** At least `limit` characters, counted in Unicode code points as JSON Schema does. */
export const atLeast = (limit: number) =>
  Schema.makeFilter((text: string) => lengthOf(text) >= limit, {
    expected: `at least ${limit} ${limit === 1 ? "character" : "characters"}`,
    fieldCode: "too_short",
    toJsonSchema: () => ({ minLength: limit })
  })

/**
 * Removes the white space around a text. `trim` treats U+FEFF as white space, but readers do not: it stays, and is
 * refused later.
 */
const trimmed = (text: string) => (text.includes("\uFEFF") ? text : text.trim())

/** Trims what the caller sends. `keywords` describe the text with the white space around it. */
export const trimmedText = (keywords: JsonSchema.JsonSchema, description: string) =>
  Text.check(described(keywords).annotate({ description })).pipe(
    Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: trimmed, encode: (s) => s }))
  )

/**
 * Maximum average number of code points per character of a text: enough for families and flags, but not for towers of
 * marks.
 */
export const CODE_POINTS_PER_CHARACTER = 8

// Grapheme clusters are the same in every language.
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Characters as readers count them: the extended grapheme clusters of UAX #29. A family of emoji is one. */
const charactersOf = (text: string) => {
  let characters = 0
  for (const _ of segmenter.segment(text)) characters++
  return characters
}

const codePointsMax = (limit: number) => limit * CODE_POINTS_PER_CHARACTER

const codePointWords = (limit: number) =>
  `at most ${limit} characters of at most ${codePointsMax(limit)} code points`

/** Bounds the code points, which JSON Schema counts. Stops further checks on a refused text. */
const atMostCodePoints = (limit: number) => {
  const max = codePointsMax(limit)
  return Schema.makeFilter(
    (text: string) => hasAtMost(text, max),
    {
      expected: codePointWords(limit),
      fieldCode: "too_long",
      toJsonSchema: () => ({ maxLength: max })
    },
    true
  )
}

const atMostCharacters = (limit: number) =>
  Schema.makeFilter((text: string) => text.length <= limit || charactersOf(text) <= limit, {
    expected: `at most ${limit} characters`,
    fieldCode: "too_long",
    toJsonSchema: () => [{}, true]
  })

interface Counted {
  readonly isLine?: boolean
  readonly isTrimmed?: boolean
  readonly least?: number
}

/**
 * The keywords of a text that is limited in characters as readers count them. JSON Schema counts code points, so
 * `maxLength` has their bound. The pattern counts printable ASCII, where a character is a code point.
 */
const countedKeywords = (limit: number, { isLine = false, isTrimmed = true, least = 0 }: Counted) => {
  const counted = isLine ? " -~" : String.raw`\t\n -~`
  const more = `(?:[${counted}][^${counted}]*)`
  const whole = String.raw`\S[^${counted}]*${more}{0,${limit - 1}}`
  const pattern = isTrimmed
    ? String.raw`^\s*${least > 0 ? whole : `(?:${whole})?`}\s*$`
    : `^[^${counted}]*${more}{0,${limit}}$`
  return { ...(least > 0 ? { minLength: least } : {}), maxLength: codePointsMax(limit), pattern }
}

const countedWords = (limit: number, least = 0) =>
  `${least > 0 ? `${least} to` : "at most"} ${limit} characters (grapheme clusters) in ${codePointsMax(limit)} code points`

/** A visible character. White space, the Braille blank and marks without a base are not visible. */
export const visible = Schema.makeFilter((text: string) => /[^\p{White_Space}\p{M}\u2800]/u.test(text), {
  expected: "at least one visible character",
  fieldCode: "too_short",
  toJsonSchema: () => ({ minLength: 1 })
})

/** Normalizes a text of limited length to NFC. The time to normalize many marks grows with their square. */
const normalized = (text: string, limit: number) =>
  text.length > 2 * codePointsMax(limit) ? text : text.normalize("NFC")

/** UTF-16 code units of a short text with all that is removed from it, such as white space around it. */
const SENT_LENGTH_MAX = 65_536

/** A short text as the caller sends it. One of megabytes is refused here, so that no pattern reads it. */
const sent = (limit: number, options: Counted, description: string) =>
  Text.check(
    Schema.makeFilter(
      (text: string) => text.length <= SENT_LENGTH_MAX,
      { expected: codePointWords(limit), fieldCode: "too_long", toJsonSchema: () => [{}, true] },
      true
    ),
    described(countedKeywords(limit, options)).annotate({ description })
  )

/** A line of at least `least` visible characters. */
const lineOf = (limit: number, least: 0 | 1, kind: TextKind = nameText) =>
  sent(
    limit,
    { isLine: true, least },
    `One line, trimmed: ${countedWords(limit, least)}.${kind.description}`
  ).pipe(
    Schema.decodeTo(
      Schema.String.check(kind.without(REFUSED_IN_A_LINE), atMostCodePoints(limit), atMostCharacters(limit)),
      SchemaTransformation.transform({
        decode: (s) => normalized(trimmed(kind.cleaned(s)), limit),
        encode: (s) => s
      })
    )
  )

/**
 * One line that a person writes, trimmed and in Unicode NFC.
 *
 * It has at most `limit` characters as readers count them (grapheme clusters), in at most
 * {@link CODE_POINTS_PER_CHARACTER} times as many code points. Controls, line separators, bidirectional controls,
 * noncharacters and invisible characters are `invalid`, unless the script or emoji needs them.
 */
export const line = (limit: number) => lineOf(limit, 0)

/**
 * A {@link line} of an author, such as a title. Soft hyphens, zero width spaces and byte order marks are dropped; marks of
 * direction (U+200E, U+200F) are kept.
 */
export const proseLine = (limit: number) => lineOf(limit, 0, proseText)

/** A {@link line} with at least one visible character. */
export const visibleLine = (limit: number) => lineOf(limit, 1).check(visible)

const asLines = (text: string) => text.replaceAll("\r\n", "\n")

const savedLines = (limit: number, kind: TextKind = nameText) =>
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.String.check(kind.without(REFUSED_IN_LINES), atMostCodePoints(limit), atMostCharacters(limit)),
      SchemaTransformation.transform({
        decode: (s) => normalized(asLines(kind.cleaned(s)), limit),
        encode: (s) => s
      })
    )
  )

/** Text of any number of lines, under the rules of {@link line}. It may hold LF (CRLF becomes it) and TAB, and is not trimmed. */
export const lines = (limit: number) =>
  sent(limit, { isTrimmed: false }, `Lines of text: ${countedWords(limit)}.`).pipe(
    Schema.decodeTo(savedLines(limit))
  )

/** {@link lines} of an author that are trimmed, under the rules of {@link proseLine}. */
export const trimmedProse = (limit: number) =>
  sent(limit, {}, `Lines of text, trimmed: ${countedWords(limit)}. ${DROPPED_WORDS}`).pipe(
    Schema.decodeTo(savedLines(limit, proseText))
  )

/** {@link trimmedProse} with at least one visible character. */
export const visibleProse = (limit: number) =>
  sent(limit, { least: 1 }, `Lines of text, trimmed: ${countedWords(limit, 1)}. ${DROPPED_WORDS}`)
    .pipe(Schema.decodeTo(savedLines(limit, proseText)))
    .check(visible)

/** Not `format: "uri"`, which refuses hosts and paths that are not ASCII. */
const HTTP_URL_PATTERN = String.raw`[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\s\\]+([/?#][^\s\\]*)?`

const HTTP_URL_WORDS = "an absolute http or https URL without credentials, spaces or invisible characters"

/** An absolute HTTP or HTTPS URL of at most 2048 characters, with a host and without credentials. It stays as it is sent. */
export const HttpUrl = Text.check(
  atMost(HTTP_URL_LENGTH_MAX),
  Schema.makeFilter(hasHttpUrlForm, {
    expected: HTTP_URL_WORDS,
    toJsonSchema: () => [{ pattern: `^${HTTP_URL_PATTERN}$` }, true]
  })
)

/** The address of an image: {@link HttpUrl}, or the path of an image that the service serves. */
export const ImageUrl = Text.check(
  atMost(HTTP_URL_LENGTH_MAX),
  Schema.makeFilter((text: string) => hasHttpUrlForm(text) || isMediaPath(text), {
    expected: `${HTTP_URL_WORDS}, or the path of an uploaded image`,
    toJsonSchema: () => [{ pattern: `^(${HTTP_URL_PATTERN}|${MEDIA_PATH})$` }, true]
  })
)
