import { Schema } from "effect"
import { atMost } from "./Text.ts"

/**
 * The end of a page, as the service wrote it. A cursor of another list, a changed one and an invented one are
 * `invalid`.
 */
export const Cursor = Schema.String.check(atMost(400))

/** The end of a page in its answer. `nextCursor` continues the list, and is null after the last page. */
export const pagination = Schema.Struct({
  limit: Schema.Int,
  nextCursor: Schema.NullOr(Schema.String),
  hasMore: Schema.Boolean
})
