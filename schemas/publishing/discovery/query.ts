import { Schema, SchemaTransformation } from "effect"
import { AuthorKind } from "../../accounts/profile/Profile.ts"
import { CATEGORY_ID_RANGE, CategoryId } from "../../platform/Ids.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { atLeast, atMost, Text, trimmedText } from "../../platform/Text.ts"

export const PER_PAGE_DEFAULT = 20
export const PER_PAGE_MAX = 50
/** The last page by number. A cursor reads deeper at the same cost for each page. */
export const PAGE_MAX = 1000

export const RELATED_DEFAULT = 4
export const RELATED_MAX = 12

/** The query of related Posts (spec 8). */
export const RelatedQuery = Schema.Struct({
  limit: Schema.optionalKey(queryInteger({ minimum: 1, maximum: RELATED_MAX, default: RELATED_DEFAULT }))
})
export type RelatedQuery = typeof RelatedQuery.Type

/** A page by number, or the cursor of the previous one. An empty cursor begins the list. */
export const paging = {
  page: Schema.optionalKey(queryInteger({ minimum: 1, maximum: PAGE_MAX, default: 1 })),
  per_page: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: PER_PAGE_MAX, default: PER_PAGE_DEFAULT })
  ),
  cursor: Schema.optionalKey(Schema.String.check(atMost(200)))
}

/** Orders that every list of Posts has. */
const LIST_SORTS = ["newest", "most_reacted", "most_purchased"] as const

/** The orders of a list. */
export const ListSort = Schema.Literals(LIST_SORTS)

/**
 * The orders of a list or a search. `relevance` lists Posts with all words in the title, then with all in title and description,
 * then the others, each part from the newest. It compares at most 1,000 matches. Without `q` it is `newest`.
 */
export const PostSort = Schema.Literals([...LIST_SORTS, "relevance"]).annotate({
  description: "`relevance`: `q` in the title, then description, then text; some 1,000"
})
export type PostSort = typeof PostSort.Type

const SEARCH_SYNTAX =
  "Words to look for in title, description and public text, trimmed. All must occur, in any order. Case, accents and invisible characters make no difference. The last word, from four letters on, also finds longer words. " +
  'Put a phrase in quotes (`"penny press"`) and a hyphen before a word or phrase that must not occur, after one that must (`nano -bitcoin`); ' +
  "`or` separates alternatives. Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese need no spaces. " +
  "A query without a word finds nothing. Text behind a paywall is not searched."

/** Words that a reader looks for, in NFC, as titles are saved. */
export const searchText = (description: string) =>
  trimmedText({ minLength: 1, pattern: String.raw`^\s*\S(?:[\s\S]{0,198}\S)?\s*$` }, description)
    .check(atLeast(1), atMost(200))
    .pipe(
      Schema.decodeTo(
        Schema.String,
        SchemaTransformation.transform({ decode: (text) => text.normalize("NFC"), encode: (text) => text })
      )
    )

/** Filters and order of published Posts (spec 4.5). A Post has to match every filter. */
export const SummaryQuery = Schema.Struct({
  ...paging,
  q: Schema.optionalKey(searchText(SEARCH_SYNTAX)),
  categoryId: Schema.optionalKey(queryInteger(CATEGORY_ID_RANGE).pipe(Schema.decodeTo(CategoryId))),
  handle: Schema.optionalKey(Text.check(atMost(30))),
  authorKind: Schema.optionalKey(AuthorKind),
  access: Schema.optionalKey(Schema.Literals(["free", "paid"])),
  language: Schema.optionalKey(Text.check(atMost(35))),
  sort: Schema.optionalKey(PostSort)
})
export type SummaryQuery = typeof SummaryQuery.Type
