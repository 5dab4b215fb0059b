import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Reaction } from "../../../schemas/engagement/reactions/Reaction.ts"
import { CommentId, FollowId, OwnerId, PostId, ReportId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

const ReactionRow = Schema.Struct({
  target_id: Schema.String,
  post_id: Schema.NullOr(PostId),
  comment_id: Schema.NullOr(CommentId),
  reaction: Reaction,
  changed_at: Timestamp
})
type ReactionRow = typeof ReactionRow.Type

const FollowerRow = Schema.Struct({
  id: FollowId,
  follower_id: OwnerId,
  name: Schema.String,
  handle: Schema.String,
  created_at: Timestamp
})
type FollowerRow = typeof FollowerRow.Type

const MuteRow = Schema.Struct({ post_id: PostId })
type MuteRow = typeof MuteRow.Type

const ReportRow = Schema.Struct({
  id: ReportId,
  target_kind: Schema.Literals(["post", "comment", "account"]),
  target_id: Schema.String,
  reason: Schema.String,
  created_at: Timestamp
})
type ReportRow = typeof ReportRow.Type

const DecisionRow = Schema.Struct({
  action: Schema.String,
  subject_id: Schema.String,
  reason_for_author: Schema.NullOr(Schema.String),
  created_at: Timestamp
})

/** Decisions that their owner knows. */
const KNOWN = [
  "accounts.restrict",
  "accounts.unrestrict",
  "moderation.posts.withdraw",
  "moderation.posts.restore"
]

/** Statements over what an account did on the site, and over what was decided about it. Lists begin with the newest. */
export const actStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "acts")
  const count = (limit: number) => sql.literal(String(limit))

  return {
    reactions: (
      owner: OwnerId,
      after: Pick<ReactionRow, "changed_at" | "target_id"> | undefined,
      limit: number
    ) => many("reactions", ReactionRow)`
      select target_id, post_id, comment_id, reaction, wire_time(changed_at) as changed_at from reactions
      where owner_id = ${owner}
        and ${after === undefined ? sql`true` : sql`(changed_at, target_id) < (${after.changed_at}::timestamptz, ${after.target_id}::uuid)`}
      order by reactions.changed_at desc, target_id desc limit ${count(limit)}`,

    followers: (
      owner: OwnerId,
      after: Pick<FollowerRow, "created_at" | "id"> | undefined,
      limit: number
    ) => many("followers", FollowerRow)`
      select f.id, f.follower_id, o.name, o.handle, wire_time(f.created_at) as created_at
      from (
        select * from follows
        where creator_id = ${owner} and ended_at is null
          and ${after === undefined ? sql`true` : sql`(created_at, id) < (${after.created_at}::timestamptz, ${after.id}::uuid)`}
        order by created_at desc, id desc limit ${count(limit)}) f
      join owners o on o.id = f.follower_id
      order by f.created_at desc, f.id desc`,

    mutes: (owner: OwnerId, after: MuteRow | undefined, limit: number) => many("mutes", MuteRow)`
      select post_id from post_mutes
      where owner_id = ${owner} and ${after === undefined ? sql`true` : sql`post_id < ${after.post_id}`}
      order by post_id desc limit ${count(limit)}`,

    reports: (owner: OwnerId, after: Pick<ReportRow, "created_at" | "id"> | undefined, limit: number) => many(
      "reports",
      ReportRow
    )`
      select id, target_kind, target_id, reason, wire_time(created_at) as created_at from reports
      where reporter_id = ${owner}
        and ${after === undefined ? sql`true` : sql`(created_at, id) < (${after.created_at}::timestamptz, ${after.id}::uuid)`}
      order by reports.created_at desc, id desc limit ${count(limit)}`,

    /** Returns the newest 1,000 decisions about an account and its Posts, without those who decided. */
    decisions: (owner: OwnerId) => many("decisions", DecisionRow)`
      select action, subject_id, reason_for_author, wire_time(created_at) as created_at
      from (
        select a.* from administrator_actions a where a.subject_id = ${owner}
        union all
        select a.* from posts p
        cross join lateral (select * from administrator_actions where subject_id = p.id offset 0) a
        where p.owner_id = ${owner}) a
      where action in ${sql.in(KNOWN)}
      order by a.created_at desc, id desc limit 1000`
  }
})
