import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { authorColumns, type AuthorRow } from "../../accounts/owners/authorRow.ts"
import { isHidden, isOpen } from "./slices.sql.ts"

/** A Comment of a page, and how many visible ones its thread has. */
export interface ThreadRow extends AuthorRow {
  readonly id: CommentId
  readonly parent_comment_id: CommentId | null
  readonly thread_root_id: CommentId
  readonly content: string | null
  readonly created_at: Timestamp
  readonly thumbs_up: number
  readonly heart: number
  readonly fire: number
  readonly clap: number
  readonly tip_raw: string
  readonly post_owner_id: OwnerId
  readonly thread_size: number
}

/** The end of a page of threads: the time and the id of its last root. */
interface ThreadPlace {
  readonly createdAt: Timestamp
  readonly id: CommentId
}

/** The threads of a page. */
interface ThreadSlice {
  readonly postId: PostId
  /** Undefined for the beginning. */
  readonly after: ThreadPlace | undefined
  /** One thread alone, when it is named. */
  readonly root: CommentId | undefined
  readonly threads: number
  /** Maximum number of Comments of a thread, including its root. */
  readonly ofThread: number
}

/** Statements that read the discussion of a Post by threads, as its page shows it. */
export const threadStatements = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Returns the newest threads, each with its Comments in the order of time, and the roots of one thread beyond. */
  slice: ({ after, ofThread, postId, root, threads }: ThreadSlice) => {
    const beyond =
      after === undefined
        ? sql``
        : sql`and (r.created_at, r.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    const one = root === undefined ? sql`` : sql`and r.id = ${root}`
    // The root of a thread says that its Post is public; replies may be hidden.
    const hidden = (comment: string) => sql.literal(isHidden(comment))
    // Counts each thread once: without "offset 0" PostgreSQL would do it for each of its Comments.
    return Effect.orDie(sql<ThreadRow>`
      select c.id, c.parent_comment_id, c.thread_root_id, c.content, wire_time(c.created_at) as created_at,
        c.thumbs_up, c.heart, c.fire, c.clap, roots.post_owner_id,
        (select coalesce(sum(amount_raw), 0)::text from tips where comment_id = c.id) as tip_raw,
        roots.thread_size, ${sql.literal(authorColumns("author", "o"))}
      from (
        select threads.*, (
          select count(*) from comments s
          where s.thread_root_id = threads.id and not ${hidden("s")})::integer as thread_size
        from (
          select r.id, r.created_at, p.owner_id as post_owner_id
          from public_comments r join posts p on p.id = r.post_id
          where r.post_id = ${postId} and ${isOpen(sql, postId)} and r.depth = 0 ${one} ${beyond}
          order by r.created_at desc, r.id desc limit ${threads + 1}) threads
        offset 0) roots
      cross join lateral (
        select * from comments t where t.thread_root_id = roots.id and not ${hidden("t")}
        order by t.created_at, t.id limit ${ofThread}) c
      cross join lateral (select * from owners where owners.id = c.author_id offset 0) o
      order by roots.created_at desc, roots.id desc, c.created_at, c.id`)
  }
}))
