import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { EraseSome } from "../../platform/sql/EraseSome.ts"
import { statements } from "../../platform/sql/statements.ts"

/**
 * No index has the actors of notifications, because each row of a fan-out would pay for it. A step reads the whole table, so it
 * changes more rows than other steps.
 */
const ACTED_FACTOR = 100

/** Statements that erase the notifications of accounts that are deleted, and their names in those of others. */
export const notificationErasure = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed } = statements(sql, "notificationErasure")

  return {
    /** Erases notifications of an owner, the work that makes them, and what the owner wanted to hear. */
    ofOwner: (owner: OwnerId, limit: number) => changed("ofOwner")`
      with news as (
        delete from notifications where ctid = any(array(
          select ctid from notifications where recipient_id = ${owner} limit ${limit})) returning id
      ), mails as (
        delete from notification_mails where ctid = any(array(
          select ctid from notification_mails where recipient_id = ${owner} or actor_id = ${owner} limit ${limit}))
        returning id
      ), fanouts as (
        delete from notification_fanouts where ctid = any(array(
          select ctid from notification_fanouts
          where actor_id = ${owner} or reply_target_author_id = ${owner} limit ${limit})) returning id
      ), days as (
        delete from notification_summaries where ctid = any(array(
          select ctid from notification_summaries where owner_id = ${owner} limit ${limit})) returning owner_id
      ), mutes as (
        delete from post_mutes where ctid = any(array(
          select ctid from post_mutes where owner_id = ${owner} limit ${limit})) returning owner_id
      ), choices as (delete from notification_preferences where owner_id = ${owner} returning owner_id)
      select from news union all select from mails union all select from fanouts union all select from days
      union all select from mutes union all select from choices`,

    /** Forgets the owner in notifications of others, which no longer name an actor. */
    ofOthers: (owner: OwnerId, limit: number) => changed("ofOthers")`
      update notifications set actor_id = nullif(actor_id, ${owner}), follower_id = nullif(follower_id, ${owner})
      where ctid = any(array(
        select ctid from notifications
        where actor_id = ${owner} or follower_id = ${owner} limit ${limit * ACTED_FACTOR}))`
  } satisfies Record<string, EraseSome>
})
