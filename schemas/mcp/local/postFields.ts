import { Schema } from "effect"
import { CREATION_DETAILS_CHARACTERS_MAX, SECTION_CHARACTERS_MAX } from "../../publishing/posts/PostDraft.ts"
import { textArgument, Whole } from "../arguments.ts"

const text = (maximum: number) => Schema.String.check(Schema.isMaxLength(maximum))

const digits = textArgument(39, "Raw Nano as digits; 1 XNO is 10^30 raw")

/**
 * Members of a Post that tools write. Only a person says how a Post was made: no tool takes its creation method or an
 * attestation.
 */
const fields = {
  title: text(200),
  description: text(500),
  free_content_markdown: text(SECTION_CHARACTERS_MAX),
  paid_content_markdown: text(SECTION_CHARACTERS_MAX),
  enable_paywall: Schema.Boolean,
  price_raw: digits,
  price_xno: textArgument(41, "Such as 0.5, instead of price_raw"),
  primary_category_id: Whole,
  secondary_category_id: Whole,
  slug: text(120),
  canonical_url: text(2048),
  language: text(35),
  comments_enabled: Schema.Boolean,
  og_title: text(200),
  og_description: text(500),
  og_image: text(2048),
  creation_details: text(CREATION_DETAILS_CHARACTERS_MAX)
}

type Fields = typeof fields

/** Members that null clears. */
const CLEARED = [
  "free_content_markdown",
  "paid_content_markdown",
  "price_raw",
  "primary_category_id",
  "secondary_category_id",
  "canonical_url",
  "og_title",
  "og_description",
  "og_image",
  "creation_details"
] as const
type Cleared = (typeof CLEARED)[number]

const entries = Object.entries(fields) as ReadonlyArray<[keyof Fields, Fields[keyof Fields]]>

/** The members of a new draft. */
export const NewFields = Object.fromEntries(
  entries.map(([name, schema]) => [name, Schema.optionalKey(schema)])
) as unknown as { readonly [Name in keyof Fields]: Schema.optionalKey<Fields[Name]> }

const isCleared = (name: string) => CLEARED.some((cleared) => cleared === name)

/** The changes of a draft. Absent members stay unchanged, and null clears. */
export const ChangedFields = Object.fromEntries(
  entries.map(([name, schema]) => [
    name,
    Schema.optionalKey(isCleared(name) ? Schema.NullOr(schema) : schema)
  ])
) as unknown as {
  readonly [Name in keyof Fields]: Schema.optionalKey<
    Name extends Cleared ? Schema.NullOr<Fields[Name]> : Fields[Name]
  >
}
