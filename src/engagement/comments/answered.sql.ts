import type { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { DAY_MILLIS, later } from "../../platform/time/now.ts"

/** Days for which a Comment waits for an answer. */
export const ANSWER_DAYS = 90

/** Returns the moment from which Comments wait for an answer. */
export const answerableFrom = (at: Date): Date => later(at, -ANSWER_DAYS * DAY_MILLIS)

/** The condition that an owner has replied or reacted to the Comment `c`. */
export const isAnswered = (sql: SqlClient.SqlClient, owner: OwnerId) => sql`(
  exists (select from reactions r where r.target_id = c.id and r.owner_id = ${owner})
  or exists (
    select from comments r where r.thread_root_id = c.thread_root_id and r.hidden_at is null
      and r.created_at >= c.created_at and r.author_id = ${owner} and r.reply_target_comment_id = c.id
      and r.deleted_at is null))`
