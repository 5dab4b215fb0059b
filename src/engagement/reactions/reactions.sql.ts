import { Array, Effect, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Reaction } from "../../../schemas/engagement/reactions/Reaction.ts"
import { REACTORS_DEFAULT, type ReactorQuery } from "../../../schemas/engagement/reactions/Reactors.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { CountedRows } from "../../platform/counters/audit.sql.ts"
import { isMissingReference } from "../../platform/sql/missingReference.ts"
import { statements } from "../../platform/sql/statements.ts"
import { summaryDue } from "../notifications/notices/summaryDue.sql.ts"
import type { ReactionTarget } from "./ReactionTarget.ts"
import type { ReactorsRow } from "./reactors.ts"

/** The change that an owner wants: a reaction, or null for none. */
interface Wanted {
  readonly target: ReactionTarget
  readonly owner: OwnerId
  readonly reaction: Reaction | null
  readonly at: Date
}

/** Reactions that have a counter. */
const counted = ["thumbs_up", "heart", "fire", "clap"] as const

/**
 * Selects the target with its author and its counters, if every reader may see it. The reactions to a deleted Comment
 * are not visible.
 */
const visibleTarget = (sql: SqlClient.SqlClient, target: ReactionTarget): Statement.Fragment =>
  target.kind === "post"
    ? sql`
        select p.id, p.id as post_id, p.owner_id as author_id, n.thumbs_up, n.heart, n.fire, n.clap
        from public_posts p join post_counts n on n.post_id = p.id where p.id = ${target.id}`
    : sql`
        select c.id, c.post_id, c.author_id, c.thumbs_up, c.heart, c.fire, c.clap
        from public_comments c where c.id = ${target.id} and c.deleted_at is null
          ${target.postId === undefined ? sql`` : sql`and c.post_id = ${target.postId}`}`

/** Statements over `reactions`. Triggers append what a write changes in the counters of its target. */
export const reactionStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed } = statements(sql, "reactions")
  const targetColumn = ({ kind }: ReactionTarget) => sql(kind === "post" ? "post_id" : "comment_id")

  /** The sums of the changes that no worker has added yet. */
  const waiting = ({ kind }: ReactionTarget) =>
    sql.csv(
      counted.map(
        (reaction) =>
          sql`coalesce(sum(amount) filter (where counter = ${`${kind}_${reaction}`}), 0)::integer as ${sql(reaction)}`
      )
    )

  // Reads one owner beyond the limit, which shows whether there are more. A restricted account has a place in the
  // order but no name, so an offset walks only over the index. `offset 0` keeps the planner from looking up owners
  // before the page is known.
  const page = (target: ReactionTarget, { limit = REACTORS_DEFAULT, offset = 0, reaction }: ReactorQuery) =>
    reaction === undefined
      ? sql`select null::uuid as owner_id, null::timestamptz as changed_at`
      : sql`
          select r.owner_id, r.changed_at, wire_time(r.changed_at) as reacted_at, o.*
          from (
            select owner_id, changed_at from reactions
            where ${targetColumn(target)} = t.id and reaction = ${reaction}
            order by changed_at desc, owner_id desc limit ${limit + 1} offset ${offset}) r
          left join lateral (
            select name, handle, avatar_url, author_kind from public_owners
            where public_owners.id = r.owner_id offset 0) o on true`

  // A reaction that changes keeps its time, and was counted on its day.
  const written = ({ at, owner, reaction, target }: Wanted) =>
    reaction === null
      ? sql`
          written as (
            delete from reactions using target
            where target_id = target.id and reactions.owner_id = ${owner} and author_id <> ${owner})`
      : sql`
          written as (
            insert into reactions (owner_id, ${targetColumn(target)}, reaction, created_at, changed_at)
            select ${owner}::uuid, id, ${reaction}::text, ${at}::timestamptz, ${at}::timestamptz from target
            where author_id <> ${owner}
            on conflict (target_id, owner_id)
            do update set reaction = excluded.reaction, changed_at = excluded.changed_at
            where reactions.reaction <> excluded.reaction
            returning created_at),
          summarized as (${summaryDue(
            sql,
            at,
            sql`select author_id from target, written where created_at = ${at}::timestamptz`
          )})`

  return {
    /**
     * Returns the owners of a page of reactors, each with the exact counts of the visible target; none without the
     * target.
     */
    read: (target: ReactionTarget, viewer: OwnerId | null, query: ReactorQuery) =>
      sql<ReactorsRow>`
        select t.post_id, t.thumbs_up + w.thumbs_up as thumbs_up, t.heart + w.heart as heart,
          t.fire + w.fire as fire, t.clap + w.clap as clap,
          (select reaction from reactions where target_id = t.id and owner_id = ${viewer}) as viewer_reaction, r.*
        from (${visibleTarget(sql, target)}) t
        cross join lateral (select ${waiting(target)} from counter_changes where subject_id = t.id) w
        left join lateral (${page(target, query)}) r on true
        order by r.changed_at desc, r.owner_id desc`.pipe(
        Effect.map((rows) => (Array.isReadonlyArrayNonEmpty(rows) ? Option.some(rows) : Option.none())),
        Effect.orDie,
        Effect.withSpan("reactions.read")
      ),

    /** Erases reactions of an owner. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from reactions where ctid = any(array(
        select ctid from reactions where owner_id = ${owner} limit ${limit}))`,

    /** Writes a reaction to a visible target of another author. Returns none without the target. */
    write: (wanted: Wanted) =>
      sql<{ readonly is_own: boolean }>`
        with target as (${visibleTarget(sql, wanted.target)}), ${written(wanted)}
        select author_id = ${wanted.owner} as is_own from target`.pipe(
        Effect.map(Array.head),
        // The target was deleted meanwhile.
        Effect.catchIf(isMissingReference, () => Effect.succeedNone),
        Effect.orDie,
        Effect.withSpan("reactions.write")
      )
  }
})

/** The reactions behind each counter. */
export const reactionRows: CountedRows = Object.fromEntries(
  counted.flatMap((reaction) => [
    [
      `post_${reaction}`,
      `select count(*) from reactions where post_id = s.post_id and reaction = '${reaction}'`
    ],
    [
      `comment_${reaction}`,
      `select count(*) from reactions where comment_id = s.id and reaction = '${reaction}'`
    ]
  ])
)

/** Erases reactions of accounts that are deleted. */
export const reactionErasure = Effect.map(reactionStatements, ({ eraseSome }) => ({ eraseSome }))
