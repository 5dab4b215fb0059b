import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { ScheduleFailureReason } from "../../../schemas/publishing/posts/Schedule.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isPublished } from "./publications.sql.ts"

/** A draft with the first words of its free part. */
const Draft = Schema.Struct({
  id: PostId,
  title: Schema.String,
  excerpt: Schema.String,
  edited_at: Timestamp,
  /** True for a draft that moderators took off the site, and for one that is about to return to it. */
  is_withdrawn: Schema.Boolean,
  is_returning: Schema.Boolean,
  /** When the draft becomes public by itself, and why it did not. */
  publish_at: Schema.NullOr(Timestamp),
  failed_because: Schema.NullOr(ScheduleFailureReason)
})
export type Draft = typeof Draft.Type

/** A post that its author can pin. */
const PinnablePost = Schema.Struct({ id: PostId, title: Schema.String })
export type PinnablePost = typeof PinnablePost.Type

/** Statements that read the posts of their author. */
export const ownPostStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "ownPosts")

  return {
    /** Returns the drafts of an owner that were edited last. */
    drafts: (owner: OwnerId, limit: number) => many("drafts", Draft)`
      select p.id, p.title, p.excerpt, wire_time(p.updated_at) as edited_at, p.withdrawn_at is not null as is_withdrawn,
        p.former_published_at is not null and p.withdrawn_at is null as is_returning,
        wire_time(s.publish_at) as publish_at, s.failure ->> 'reason' as failed_because
      from posts p left join lateral (select * from scheduled_publications where id = p.id offset 0) s on true
      where p.owner_id = ${owner} and p.status = 'draft'
      order by p.updated_at desc, p.id desc limit ${sql.literal(String(limit))}`,

    /** Returns the newest 100 published posts of an owner, who is not restricted. */
    pinnable: (owner: OwnerId) => many("pinnable", PinnablePost)`
      select p.id, p.title from posts p where p.owner_id = ${owner} and ${sql.literal(isPublished("p"))}
      order by p.published_at desc, p.id desc limit 100`
  }
})
