import { Schema } from "effect"

/** The columns that order the table. Without one, the newest post or draft is first. */
export const PostSort = Schema.Literals([
  "title",
  "price",
  "reads",
  "walls",
  "sales",
  "income",
  "comments",
  "published"
])
export type PostSort = typeof PostSort.Type

/** The posts that the table shows: drafts, or public posts with or without a price. */
export const PostFilter = Schema.Literals(["draft", "free", "paid"])
export type PostFilter = typeof PostFilter.Type

/** The posts that an author asks for. */
export interface PostChoice {
  readonly sort: PostSort | undefined
  readonly filter: PostFilter | undefined
  /** Words of the title, as `searchQueryOf` returns them. */
  readonly words: string | undefined
}
