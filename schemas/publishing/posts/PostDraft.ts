import { Schema } from "effect"
import { CategoryId } from "../../platform/Ids.ts"
import { PRICE_MAX_RAW, PRICE_MIN_RAW, PRICE_STEP_RAW } from "../../platform/Nano.ts"
import { atMost, HttpUrl, ImageUrl, lines, proseLine, Text, trimmedProse } from "../../platform/Text.ts"
import { CreationMethod } from "./creation.ts"

/** Characters of one Markdown section, at most. */
export const SECTION_CHARACTERS_MAX = 200_000
/** Characters of `creationDetails`, at most (spec 8). */
export const CREATION_DETAILS_CHARACTERS_MAX = 280

/** More about how a Post was produced. */
export const CreationDetails = lines(CREATION_DETAILS_CHARACTERS_MAX)

const isLanguageTag = (tag: string) => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** A BCP 47 language tag such as `en` or `pt-BR`. */
export const Language = Schema.String.check(
  atMost(35),
  Schema.makeFilter(isLanguageTag, {
    expected: "a BCP 47 language tag such as en or pt-BR",
    toJsonSchema: () => [{ minLength: 2, pattern: "^[0-9A-Za-z]+(-[0-9A-Za-z]+)*$" }, true]
  })
)

/** Lower-case ASCII words joined by hyphens, at most 120 characters. */
export const Slug = Schema.String.check(
  atMost(120),
  Schema.isPattern(/^[a-z0-9]+(-[a-z0-9]+)*$/u, {
    expected: "lower-case letters and digits joined by hyphens"
  })
)

const Section = Schema.NullOr(Text.check(atMost(SECTION_CHARACTERS_MAX)))

const PriceText = Schema.NullOr(Schema.String.check(atMost(80)))

/** Says when a price counts, which is why the paywall checks it and not these schemas (spec 4.3.2). */
const PRICE_USE = "Without an effective paywall the price is ignored; null removes it."

const PriceXnoText = PriceText.annotate({
  description: `A price in XNO as a decimal: 0.00001 to 9999, with at most 6 decimals. With priceRaw, both are the same price. ${PRICE_USE}`
})

const PriceRawText = PriceText.annotate({
  description: `A price in raw as digits: ${PRICE_MIN_RAW} (0.00001 XNO) to ${PRICE_MAX_RAW} (9999 XNO), a multiple of ${PRICE_STEP_RAW}. With priceXno, both are the same price. ${PRICE_USE}`
})

/** Lines without white space around them, at most 500 characters. */
const Description = trimmedProse(500)

const fields = {
  title: Schema.optionalKey(proseLine(200)),
  description: Schema.optionalKey(Description),
  paidContentMarkdown: Schema.optionalKey(Section),
  freeContentMarkdown: Schema.optionalKey(Section),
  enablePaywall: Schema.optionalKey(Schema.Boolean),
  priceXno: Schema.optionalKey(PriceXnoText),
  priceRaw: Schema.optionalKey(PriceRawText),
  primaryCategoryId: Schema.optionalKey(Schema.NullOr(CategoryId)),
  secondaryCategoryId: Schema.optionalKey(Schema.NullOr(CategoryId)),
  slug: Schema.optionalKey(Slug),
  canonicalUrl: Schema.optionalKey(Schema.NullOr(HttpUrl)),
  language: Schema.optionalKey(Language),
  commentsEnabled: Schema.optionalKey(Schema.Boolean),
  mailReaders: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "false: the readers by mail do not get the Post. A new Post has true. It counts at the first publication, by hand or scheduled. Later, `cancel` of the mailing stops a mail."
    })
  ),
  ogTitle: Schema.optionalKey(Schema.NullOr(proseLine(200))),
  ogDescription: Schema.optionalKey(Schema.NullOr(Description)),
  ogImage: Schema.optionalKey(Schema.NullOr(ImageUrl)),
  creationMethod: Schema.optionalKey(Schema.NullOr(CreationMethod)),
  creationDetails: Schema.optionalKey(Schema.NullOr(CreationDetails)),
  creationAttested: Schema.optionalKey(Schema.Boolean)
}

/** The content of a new Post: at least one section; everything else may follow later (spec 4.3). */
export const PostDraft = Schema.Struct(fields).annotate({ identifier: "PostDraft" })
export type PostDraft = typeof PostDraft.Type

/** A nonempty part of a Post. Absent members stay, null clears (spec 4.3.7). */
export const PostPatch = Schema.Struct({
  ...fields,
  datedAt: Schema.optionalKey(
    Schema.Null.annotate({
      description: "null clears the date that an import set; only an import sets one",
      expected: "null, as only an import sets a date"
    })
  )
})
  .check(Schema.isMinProperties(1, { expected: "at least one member to change", fieldCode: "required" }))
  .annotate({ identifier: "PostPatch" })
export type PostPatch = typeof PostPatch.Type
