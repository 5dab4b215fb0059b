import { Schema, SchemaTransformation } from "effect"

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /** The `code` of the field error that a failing check is answered with; `invalid` without it. */
      readonly fieldCode?: string | undefined
    }
  }
}

// PostgreSQL cannot store U+0000, and a lone surrogate has no UTF-8.
const isStorable = Schema.makeFilter((text: string) => text.isWellFormed() && !text.includes("\0"), {
  expected: "well-formed Unicode without U+0000",
  toJsonSchema: () => [{}, true]
})

/** Unicode text that every part of the service can store and send back unchanged. */
export const Text = Schema.String.check(isStorable)

const lengthOf = (text: string) => {
  let length = 0
  for (const _ of text) length++
  return length
}

/** At most `limit` characters, counted in Unicode code points as JSON Schema does. */
export const atMost = (limit: number) =>
  Schema.makeFilter((text: string) => text.length <= limit || lengthOf(text) <= limit, {
    expected: `at most ${limit} characters`,
    fieldCode: "too_long",
    toJsonSchema: () => ({ maxLength: limit })
  })

/** At least `limit` characters, counted in Unicode code points as JSON Schema does. */
export const atLeast = (limit: number) =>
  Schema.makeFilter((text: string) => lengthOf(text) >= limit, {
    expected: `at least ${limit} characters`,
    fieldCode: "too_short",
    toJsonSchema: () => ({ minLength: limit })
  })

/** Text without white space around it; what the caller sends is trimmed. */
export const TrimmedText = Text.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (s) => s.trim(), encode: (s) => s })
  )
)

const isHttpUrl = (text: string) => {
  const url = /^https?:\/\/\S+$/i.test(text) ? URL.parse(text) : null
  return url !== null && url.hostname !== ""
}

/** An absolute HTTP or HTTPS URL of at most 2048 characters. */
export const HttpUrl = Text.check(
  atMost(2048),
  Schema.makeFilter(isHttpUrl, {
    expected: "an absolute http or https URL",
    toJsonSchema: () => ({ format: "uri" })
  })
)

/** 1 to 255 characters without white space or control characters (specification 4.1.3, 4.3.6). */
export const IdempotencyKey = TrimmedText.check(
  atLeast(1),
  atMost(255),
  Schema.makeFilter((text: string) => !/[\s\p{Cc}]/u.test(text), {
    expected: "characters other than white space",
    toJsonSchema: () => [{ pattern: "^\\S+$" }, true]
  })
)
