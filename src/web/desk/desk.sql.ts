import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import { statements } from "../../platform/sql/statements.ts"

const author = { name: Schema.String, handle: Schema.String }

const DeskPost = Schema.Struct({
  ...author,
  id: PostId,
  title: Schema.String,
  slug: Schema.String,
  status: PostStatus,
  price_raw: Schema.NullOr(Schema.String),
  edited_at: Timestamp,
  /** True for a draft that moderators took off the site, and for one that is about to return to it. */
  is_withdrawn: Schema.Boolean,
  is_returning: Schema.Boolean,
  purchases: Schema.Int,
  comments: Schema.Int
})
export type DeskPost = typeof DeskPost.Type

/** A post of an owner. An empty list is one row of the owner alone. */
const DeskRow = Schema.Union([DeskPost, Schema.Struct({ ...author, id: Schema.Null })])

/** The posts that a list shows. */
export interface DeskFilter {
  readonly status: PostStatus | undefined
  /** Words of the title, as `searchQueryOf` returns them. */
  readonly words: string | undefined
}

interface Slice extends DeskFilter {
  readonly after: PostId | undefined
  readonly limit: number
}

/** Statements that read what an author finds on the desk. */
export const deskStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "desk")

  return {
    /** Returns the newest posts of an owner, and one beyond the slice when there are more. */
    posts: (owner: OwnerId, { after, limit, status, words }: Slice) => {
      const conditions = [
        sql`p.owner_id = ${owner}`,
        ...(status === undefined ? [] : [sql`p.status = ${status}`]),
        // Drafts have no index of words. The titles of one owner are few.
        ...(words === undefined
          ? []
          : [sql`to_tsvector('words', search_words(p.title)) @@ (select to_tsquery('words', ${words}))`]),
        ...(after === undefined
          ? []
          : [
              sql`(p.created_at, p.id) < (select created_at, id from posts where id = ${after} and owner_id = ${owner})`
            ])
      ]
      // The limit is written out, as PostgreSQL 15 plans one that is a parameter for all posts of the owner.
      return many("posts", DeskRow)`
        select o.name, o.handle, p.id, p.title, p.slug, p.status, p.price_raw, p.edited_at, p.is_withdrawn,
          p.is_returning, coalesce(n.purchases, 0) as purchases, coalesce(n.comments, 0) as comments
        from owners o
        left join lateral (
          select p.id, p.title, p.slug, p.status, case when p.enable_paywall then p.price_raw::text end as price_raw,
            wire_time(p.updated_at) as edited_at, p.created_at, p.withdrawn_at is not null as is_withdrawn,
            p.former_published_at is not null and p.withdrawn_at is null as is_returning
          from posts p where ${sql.and(conditions)}
          order by p.created_at desc, p.id desc limit ${sql.literal(String(limit + 1))}) p on true
        left join lateral (select purchases, comments from post_counts where post_id = p.id offset 0) n on true
        where o.id = ${owner}
        order by p.created_at desc, p.id desc`
    }
  }
})
