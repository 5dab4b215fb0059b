import { Effect } from "effect"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { deskStatements } from "./desk.sql.ts"

/** Posts of a page, at most. */
const POSTS_MAX = 20

/** Makes the reader of an author's own posts, drafts too. */
export const makeDeskPosts = Effect.map(deskStatements, (statements) =>
  /** Lists posts, newest first. `next` is the post after which there are more. */
  Effect.fn("DeskPosts.list")(function* (owner: OwnerId, after: PostId | undefined) {
    const rows = yield* statements.posts(owner, { after, limit: POSTS_MAX })
    const posts = rows.slice(0, POSTS_MAX)
    return { posts, next: rows.length > POSTS_MAX ? (posts.at(-1)?.id ?? null) : null }
  })
)
