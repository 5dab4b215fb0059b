import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isAnswered } from "../comments/answered.sql.ts"
import { isHidden } from "../comments/slices.sql.ts"

/** Comments that are looked at, newest first. */
const COMMENTS_MAX = 1_000
/** Posts with new Comments, at most. */
const POSTS_MAX = 10

const CommentedPost = Schema.Struct({ id: PostId, title: Schema.String, comments: Schema.Int })

const Numbers = Schema.Struct({
  name: Schema.String,
  handle: Schema.String,
  has_payout_address: Schema.Boolean,
  /** True once the account has a post or a draft. */
  has_posts: Schema.Boolean,
  sales: Schema.Int,
  /** True once the account has earned something, and has not chosen yet whether rankings show it. */
  is_rankings_choice_open: Schema.Boolean,
  /** Sums of sales and tips, in raw. */
  earned_raw: Schema.String,
  earned_before_raw: Schema.String,
  reads: Schema.Int,
  /** Comments of others that are neither answered nor reacted to. */
  to_answer: Schema.Int,
  followers: Schema.Int,
  /** Own posts with new Comments, those with the most first. */
  commented: Schema.Array(CommentedPost)
})
export type DeskNumbers = typeof Numbers.Type

/** The days and moments that the numbers of a desk are about. */
export interface DeskDays {
  /** The first day of this month, and today, in UTC. */
  readonly first: string
  readonly last: string
  /** The days of last month to compare with. */
  readonly before: { readonly first: string; readonly last: string }
  /** The moment from which something is new. */
  readonly newFrom: Date
  /** The moment from which Comments wait for an answer. */
  readonly answerableFrom: Date
}

/** Statements that read how it goes for an author. */
export const deskNumberStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "desk")
  const earned = (from: string, to: string) => sql`
    select coalesce(sum(sales), 0)::integer as sales, coalesce(sum(sales_raw + tips_raw), 0)::text as raw
    from earnings_daily where owner_id = o.id and day between ${from}::date and ${to}::date`

  return {
    /**
     * Returns the numbers of an owner, all in one look. The newest Comments are found by an index of each own post. The first
     * row of a table is read in its order: where one owner has most rows, an "exists" reads them all for an owner without any.
     */
    numbers: (owner: OwnerId, { answerableFrom, before, first, last, newFrom }: DeskDays) => {
      const newest = sql`order by c.created_at desc, c.id desc limit ${sql.literal(String(COMMENTS_MAX))}`
      return one("numbers", Numbers)`
        with received as materialized (
          select c.post_id, c.created_at, c.title, not ${isAnswered(sql, owner)} as is_to_answer
          from (
            select c.*, p.title from public_posts p cross join lateral (
              select * from comments c
              where c.post_id = p.id and c.created_at >= ${answerableFrom} and c.author_id <> ${owner}
                and c.deleted_at is null and not ${sql.literal(isHidden("c"))}
              ${newest}) c
            where p.owner_id = ${owner} and p.comments_enabled ${newest}) c)
        select o.name, o.handle, o.payout_address is not null as has_payout_address,
          coalesce((select true from posts where owner_id = o.id order by created_at desc limit 1), false) as has_posts,
          np.show_on_creator_leaderboards is null
            and coalesce((select true from earnings_daily where owner_id = o.id order by day limit 1), false)
            as is_rankings_choice_open,
          month.sales, month.raw as earned_raw, earlier.raw as earned_before_raw,
          (select coalesce(sum(people + agents), 0)::integer from post_reads
            where owner_id = o.id and day between ${first}::date and ${last}::date) as reads,
          (select count(*)::integer from received where is_to_answer) as to_answer,
          (select count(*)::integer from follows
            where creator_id = o.id and ended_at is null and created_at >= ${newFrom}) as followers,
          (select coalesce(jsonb_agg(jsonb_build_object('id', post_id, 'title', title, 'comments', comments)
              order by comments desc, post_id), '[]') from (
            select post_id, title, count(*) as comments from received where created_at >= ${newFrom}
            group by post_id, title order by comments desc, post_id limit ${sql.literal(String(POSTS_MAX))}) posts) as commented
        from owners o
        left join notification_preferences np on np.owner_id = o.id
        cross join lateral (${earned(first, last)}) month
        cross join lateral (${earned(before.first, before.last)}) earlier
        where o.id = ${owner}`
    }
  }
})
