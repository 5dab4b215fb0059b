import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import { statements } from "../../platform/sql/statements.ts"

const DeskPost = Schema.Struct({
  id: PostId,
  title: Schema.String,
  status: PostStatus,
  price_raw: Schema.NullOr(Schema.String),
  edited_at: Timestamp,
  purchases: Schema.Int,
  comments: Schema.Int
})
export type DeskPost = typeof DeskPost.Type

/** A slice of the posts of an owner. */
interface Slice {
  readonly after: PostId | undefined
  readonly limit: number
}

/** Statements that read what an author finds on the desk. */
export const deskStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "desk")

  return {
    /** Returns the newest posts of an owner, and one beyond the slice when there are more. */
    posts: (owner: OwnerId, { after, limit }: Slice) => {
      const isNext =
        after === undefined
          ? sql`true`
          : sql`(p.created_at, p.id) < (select created_at, id from posts where id = ${after} and owner_id = ${owner})`
      return many("posts", DeskPost)`
        select p.id, p.title, p.status, case when p.enable_paywall then p.price_raw::text end as price_raw,
          wire_time(p.updated_at) as edited_at, coalesce(n.purchases, 0) as purchases, coalesce(n.comments, 0) as comments
        from posts p left join post_counts n on n.post_id = p.id
        where p.owner_id = ${owner} and ${isNext}
        order by p.created_at desc, p.id desc limit ${limit + 1}`
    }
  }
})
