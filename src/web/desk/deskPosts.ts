import { Effect } from "effect"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { type DeskFilter, type DeskPost, deskStatements } from "./desk.sql.ts"

interface Slice extends DeskFilter {
  readonly after: PostId | undefined
  readonly limit: number
}

/** Makes the reader of an author's own posts, drafts too. */
export const makeDeskPosts = Effect.map(deskStatements, (statements) =>
  /**
   * Lists posts, newest first, with the name and the handle of their author. `next` is the post after which there are
   * more.
   */
  Effect.fn("DeskPosts.list")(function* (owner: OwnerId, slice: Slice) {
    const rows = yield* statements.posts(owner, slice)
    const { handle = "", name = "" } = rows[0] ?? {}
    const all = rows.filter((row): row is DeskPost => row.id !== null)
    const posts = all.slice(0, slice.limit)
    return { name, handle, posts, next: all.length > slice.limit ? (posts.at(-1)?.id ?? null) : null }
  })
)
