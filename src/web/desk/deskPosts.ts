import { Effect } from "effect"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { readsAfter } from "../../engagement/reads/readStats.sql.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { type OwnPostFilter, type OwnPost, ownPostStatements } from "../../publishing/posts/ownPosts.sql.ts"

interface Slice extends OwnPostFilter {
  readonly after: PostId | undefined
  readonly limit: number
}

/** Days whose reads a list shows, until today. */
export const READS_DAYS = 30

/** Makes the reader of an author's own posts, drafts too. */
export const makeDeskPosts = Effect.map(ownPostStatements, (statements) =>
  /**
   * Lists posts, newest first, with the name and the handle of their author. `next` is the post after which there are
   * more.
   */
  Effect.fn("DeskPosts.list")(function* (owner: OwnerId, slice: Slice) {
    const before = later(yield* now, -READS_DAYS * DAY_MILLIS)
    const reads = readsAfter(before.toISOString().slice(0, 10))
    const rows = yield* statements.slice(owner, { ...slice, reads })
    const { handle = "", name = "" } = rows[0] ?? {}
    const all = rows.filter((row): row is OwnPost => row.id !== null)
    const posts = all.slice(0, slice.limit)
    return { name, handle, posts, next: all.length > slice.limit ? (posts.at(-1)?.id ?? null) : null }
  })
)
