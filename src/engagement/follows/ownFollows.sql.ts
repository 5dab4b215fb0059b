import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import { Follow } from "../../../schemas/engagement/follows/Follow.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { asSearch } from "../../platform/sql/asSearch.ts"
import { statements } from "../../platform/sql/statements.ts"
import { summaryColumns, type SummaryRow } from "../../publishing/discovery/summary.ts"

/** The end of a page: the time and the id of its last row. */
export interface Position {
  readonly at: string
  readonly id: string
}

/** A slice that begins after a position, or at the newest row. */
interface Slice {
  readonly after: Position | undefined
  readonly limit: number
}

/** A follow with the columns of its creator, which are null for a restricted one. */
const OwnFollowRow = Schema.Struct({
  ...Follow.fields,
  name: Schema.NullOr(Schema.String),
  handle: Schema.NullOr(Schema.String),
  avatar_url: Schema.NullOr(Schema.String),
  author_kind: Schema.NullOr(AuthorKind)
})
export type OwnFollowRow = typeof OwnFollowRow.Type

/** Statements that read the follows of one owner, and what the creators published. */
export const ownFollowStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "ownFollows")
  // Written out: with a limit as a parameter, the planner would read and sort everything.
  const limited = ({ limit }: Slice) => sql.literal(`limit ${limit + 1}`)
  const beyond = (place: string, { after }: Slice) =>
    after === undefined
      ? sql``
      : sql`and ${sql.literal(place)} < (${after.at}::timestamptz, ${after.id}::uuid)`

  /** Walks the newest Posts of a creator, in the index that has them in this order. */
  const newestOf = (column: string, slice: Slice, limit: Statement.Fragment) =>
    sql`
      select id, published_at from public_posts
      where owner_id = ${sql.literal(column)} ${beyond("(published_at, id)", slice)}
      order by published_at desc, id desc ${limit}`

  return {
    /** Returns the newest follows of an owner, and one beyond the slice when there are more. */
    follows: (owner: OwnerId, slice: Slice) => many("follows", OwnFollowRow)`
      select f.id, f.creator_id, wire_time(f.created_at) as created_at,
        f.notify_new_posts, f.notify_channel_email, f.notify_channel_inapp,
        o.name, o.handle, o.avatar_url, o.author_kind
      from (
        select * from follows where follower_id = ${owner} and ended_at is null ${beyond("(created_at, id)", slice)}
        order by created_at desc, id desc ${limited(slice)}) f
      left join lateral (select * from public_owners where public_owners.id = f.creator_id offset 0) o on true
      order by f.created_at desc, f.id desc`,

    /**
     * Returns the newest Posts of the creators whom an owner follows, and one beyond the slice when there are more. Of
     * each creator it looks at one Post. Only the creators of the newest of these can have the Posts of the slice.
     */
    posts: (owner: OwnerId, slice: Slice) =>
      Effect.orDie(
        asSearch(sql<SummaryRow>`
          with creators as materialized (
            select f.creator_id from follows f
            cross join lateral (${newestOf("f.creator_id", slice, sql.literal("limit 1"))}) newest
            where f.follower_id = ${owner} and f.ended_at is null
            order by newest.published_at desc, newest.id desc ${limited(slice)}),
          chosen as materialized (
            select p.id from creators
            cross join lateral (${newestOf("creators.creator_id", slice, limited(slice))}) p
            order by p.published_at desc, p.id desc ${limited(slice)})
          select ${sql.literal(summaryColumns)} from chosen
          cross join lateral (select * from public_posts where public_posts.id = chosen.id offset 0) p
          cross join lateral (select * from owners where owners.id = p.owner_id offset 0) o
          cross join lateral (select * from post_counts where post_id = p.id offset 0) n
          order by p.published_at desc, p.id desc`)
      ).pipe(Effect.withSpan("ownFollows.posts"))
  }
})
