import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import { ScheduleFailureReason } from "../../../schemas/publishing/posts/Schedule.ts"
import { asSearch } from "../../platform/sql/asSearch.ts"
import { statements } from "../../platform/sql/statements.ts"
import type { PostChoice, PostFilter, PostSort } from "./PostChoice.ts"

/** A post of its author with its numbers of all days. */
const PostLine = Schema.Struct({
  id: PostId,
  title: Schema.String,
  handle: Schema.String,
  slug: Schema.String,
  status: PostStatus,
  enable_paywall: Schema.Boolean,
  /** Null for a free post, and for a draft with a paywall that has no price yet. */
  price_raw: Schema.NullOr(Schema.String),
  edited_at: Timestamp,
  published_at: Schema.NullOr(Timestamp),
  /** True for a draft that moderators took off the site, and for one that is about to return to it. */
  is_withdrawn: Schema.Boolean,
  is_returning: Schema.Boolean,
  /** When a draft becomes public by itself, and why it did not. */
  publish_at: Schema.NullOr(Timestamp),
  failed_because: Schema.NullOr(ScheduleFailureReason),
  reads: Schema.Int,
  walls: Schema.Int,
  sales: Schema.Int,
  earned_raw: Schema.String,
  comments: Schema.Int
})
export type PostLine = typeof PostLine.Type

interface Slice extends PostChoice {
  readonly after: PostId | undefined
  readonly limit: number
}

/** A value by which posts are ordered, and what it is read from for the Post `p`. */
interface Order {
  readonly key: Statement.Fragment
  readonly from: Statement.Fragment
}

/** Returns the orders of the table. Numbers of all posts of an owner are read by one look at an index of the owner. */
const ordersOf = (sql: SqlClient.SqlClient, owner: OwnerId): Readonly<Record<PostSort, Order>> => {
  const of = (key: Statement.Fragment, from = sql``): Order => ({ key, from })
  const reads = sql`left join (select * from post_read_totals where owner_id = ${owner}) t on t.post_id = p.id`
  const earnings = sql`
    left join (
      select post_id, sum(sales) as sales, sum(earned_raw) as earned_raw
      from post_earnings where owner_id = ${owner} group by post_id) e on e.post_id = p.id`
  const comments = sql`left join lateral (select comments from post_counts where post_id = p.id offset 0) n on true`
  return {
    title: of(sql`lower(p.title)`),
    price: of(sql`case when p.enable_paywall then coalesce(p.price_raw, 0) else 0 end`),
    published: of(sql`coalesce(p.published_at, '-infinity')`),
    reads: of(sql`coalesce(t.reads, 0)`, reads),
    walls: of(sql`coalesce(t.walls, 0)`, reads),
    sales: of(sql`coalesce(e.sales, 0)`, earnings),
    income: of(sql`coalesce(e.earned_raw, 0)`, earnings),
    comments: of(sql`coalesce(n.comments, 0)`, comments)
  }
}

const isShown = (sql: SqlClient.SqlClient, filter: PostFilter | undefined) => {
  if (filter === undefined) return sql`true`
  return filter === "draft"
    ? sql`p.status = ${filter}`
    : sql`p.status = ${"published"} and p.enable_paywall = ${filter === "paid"}`
}

/** Statements that read the posts of their author, drafts too, with the numbers of other wings. */
export const postTableStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "postTable")
  // Written out, as PostgreSQL 15 plans a limit that is a parameter for all posts of the owner.
  const limited = (limit: number) => sql.literal(String(limit))

  /** Selects the ids of a slice in the order of a column. Titles ascend, and all others descend. */
  const pageBy = (
    owner: OwnerId,
    posts: Statement.Fragment,
    sort: PostSort,
    { after, filter, limit }: Slice
  ) => {
    const { from, key } = ordersOf(sql, owner)[sort]
    const [beyond, direction] = sort === "title" ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
    return sql`
      with keyed as materialized (
        select p.id, p.status, p.enable_paywall, ${key} as key from ${posts} p ${from} where p.owner_id = ${owner})
      select p.id, row_number() over (order by p.key ${direction}, p.id ${direction}) as place
      from keyed p
      where ${isShown(sql, filter)}
        and ${after === undefined ? sql`true` : sql`(p.key, p.id) ${beyond} (select key, id from keyed where id = ${after})`}
      order by p.key ${direction}, p.id ${direction} limit ${limited(limit)}`
  }

  /** Selects the ids of a slice of the newest posts by an index, so that the others are not read. */
  const newest = (owner: OwnerId, posts: Statement.Fragment, { after, filter, limit }: Slice) => sql`
    select p.id, row_number() over (order by p.created_at desc, p.id desc) as place
    from ${posts} p
    where p.owner_id = ${owner} and ${isShown(sql, filter)}
      and ${
        after === undefined
          ? sql`true`
          : sql`(p.created_at, p.id) < (select created_at, id from posts where id = ${after} and owner_id = ${owner})`
      }
    order by p.created_at desc, p.id desc limit ${limited(limit)}`

  return {
    /** Returns posts of an owner in an order. With words it is a search, which reads the posts that it finds. */
    slice: (owner: OwnerId, slice: Slice) => {
      const { sort, words } = slice
      // `offset 0` keeps PostgreSQL from comparing the words of all posts of the owner.
      const posts =
        words === undefined
          ? sql`posts`
          : sql`(select * from posts where title_words @@ (
              select ${`'o:${owner}'`}::tsquery && to_tsquery('words', ${words})) offset 0)`
      const page = sort === undefined ? newest(owner, posts, slice) : pageBy(owner, posts, sort, slice)
      const read = many("slice", PostLine)`
        select p.id, p.title, o.handle, p.slug, p.status, p.enable_paywall, case when p.enable_paywall then p.price_raw::text end as price_raw,
          wire_time(p.updated_at) as edited_at, wire_time(p.published_at) as published_at,
          p.withdrawn_at is not null as is_withdrawn,
          p.former_published_at is not null and p.withdrawn_at is null as is_returning,
          wire_time(s.publish_at) as publish_at, s.failure ->> 'reason' as failed_because,
          coalesce(t.reads, 0) as reads, coalesce(t.walls, 0) as walls, e.sales, e.earned_raw,
          coalesce(n.comments, 0) as comments
        from (${page}) page
        join posts p on p.id = page.id
        join owners o on o.id = p.owner_id
        left join lateral (
          select publish_at, failure from scheduled_publications where id = p.id and p.published_at is null offset 0) s on true
        left join lateral (select reads, walls from post_read_totals where post_id = p.id offset 0) t on true
        left join lateral (select comments from post_counts where post_id = p.id offset 0) n on true
        cross join lateral (
          select coalesce(sum(sales), 0)::integer as sales, coalesce(sum(earned_raw), 0)::text as earned_raw
          from post_earnings where owner_id = p.owner_id and post_id = p.id) e
        order by page.place`
      return words === undefined ? read : asSearch(read)
    }
  }
})
