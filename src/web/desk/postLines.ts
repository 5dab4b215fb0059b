import { Effect } from "effect"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { PostChoice } from "../../engagement/desk/PostChoice.ts"
import { postTableStatements } from "../../engagement/desk/postTable.sql.ts"

/** Posts of a page. */
const POSTS = 50

/** Makes the reader of the table of an author's own posts, drafts too. */
export const makePostLines = Effect.map(postTableStatements, (statements) =>
  /**
   * Lists posts in an order. `next` is the post after which there are more. The list begins again if nothing follows a post:
   * the post may be deleted.
   */
  Effect.fn("PostLines.list")(function* (owner: OwnerId, choice: PostChoice, after: PostId | undefined) {
    const slice = { ...choice, after, limit: POSTS + 1 }
    const found = yield* statements.slice(owner, slice)
    const rows =
      found.length === 0 && after !== undefined
        ? yield* statements.slice(owner, { ...slice, after: undefined })
        : found
    const posts = rows.slice(0, POSTS)
    return { posts, next: rows.length > POSTS ? (posts.at(-1)?.id ?? null) : null }
  })
)
