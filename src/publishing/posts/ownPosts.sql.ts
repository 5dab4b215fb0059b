import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import { asSearch } from "../../platform/sql/asSearch.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isPublished } from "./publications.sql.ts"

const author = { name: Schema.String, handle: Schema.String }

const OwnPost = Schema.Struct({
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
  comments: Schema.Int,
  reads: Schema.Int
})
export type OwnPost = typeof OwnPost.Type

/** A post of an owner. An empty list is one row of the owner alone. */
const OwnRow = Schema.Union([OwnPost, Schema.Struct({ ...author, id: Schema.Null })])

/** A post that its author can pin. */
const PinnablePost = Schema.Struct({ id: PostId, title: Schema.String })
export type PinnablePost = typeof PinnablePost.Type

/** The posts that a list shows. */
export interface OwnPostFilter {
  readonly status: PostStatus | undefined
  /** Words of the title, as `searchQueryOf` returns them. */
  readonly words: string | undefined
}

interface Slice extends OwnPostFilter {
  readonly after: PostId | undefined
  readonly limit: number
  /** Returns the SQL that counts the reads of the Post `p`, which another wing counts. */
  readonly reads: (sql: SqlClient.SqlClient) => Statement.Fragment
}

/** Statements that read the posts of their author, drafts too. */
export const ownPostStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "ownPosts")

  return {
    /**
     * Returns the newest posts of an owner, and one beyond the slice when there are more. With words, it is a search, which
     * reads the posts that it finds.
     */
    slice: (owner: OwnerId, { after, limit, reads, status, words }: Slice) => {
      // `offset 0` keeps PostgreSQL from comparing the words of all posts of the owner.
      const posts =
        words === undefined
          ? sql`posts`
          : sql`(select * from posts where title_words @@ (
              select ${`'o:${owner}'`}::tsquery && to_tsquery('words', ${words})) offset 0)`
      const conditions = [
        sql`p.owner_id = ${owner}`,
        ...(status === undefined ? [] : [sql`p.status = ${status}`]),
        ...(after === undefined
          ? []
          : [
              sql`(p.created_at, p.id) < (select created_at, id from posts where id = ${after} and owner_id = ${owner})`
            ])
      ]
      // The limit is written out, as PostgreSQL 15 plans one that is a parameter for all posts of the owner.
      const read = many("slice", OwnRow)`
        select o.name, o.handle, p.id, p.title, p.slug, p.status, p.price_raw, p.edited_at, p.is_withdrawn,
          p.is_returning, coalesce(n.purchases, 0) as purchases, coalesce(n.comments, 0) as comments,
          ${reads(sql)} as reads
        from owners o
        left join lateral (
          select p.id, p.title, p.slug, p.status, case when p.enable_paywall then p.price_raw::text end as price_raw,
            wire_time(p.updated_at) as edited_at, p.created_at, p.withdrawn_at is not null as is_withdrawn,
            p.former_published_at is not null and p.withdrawn_at is null as is_returning
          from ${posts} p where ${sql.and(conditions)}
          order by p.created_at desc, p.id desc limit ${sql.literal(String(limit + 1))}) p on true
        left join lateral (select purchases, comments from post_counts where post_id = p.id offset 0) n on true
        where o.id = ${owner}
        order by p.created_at desc, p.id desc`
      return words === undefined ? read : asSearch(read)
    },

    /** Returns the newest 100 published posts of an owner, who is not restricted. */
    pinnable: (owner: OwnerId) => many("pinnable", PinnablePost)`
      select p.id, p.title from posts p where p.owner_id = ${owner} and ${sql.literal(isPublished("p"))}
      order by p.published_at desc, p.id desc limit 100`
  }
})
