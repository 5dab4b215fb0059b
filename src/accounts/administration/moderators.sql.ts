import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isRestricted } from "../owners/owners.sql.ts"

const ModeratorRow = Schema.Struct({
  id: OwnerId,
  handle: Schema.String,
  is_restricted: Schema.Boolean,
  added_at: Timestamp
})
export type ModeratorRow = typeof ModeratorRow.Type

const AddedRow = Schema.Struct({ ...ModeratorRow.fields, is_changed: Schema.Boolean })
const RemovedRow = Schema.Struct({ id: OwnerId, handle: Schema.String, is_changed: Schema.Boolean })
const HandleRow = Schema.Struct({ handle: Schema.String })
const IsRow = Schema.Struct({ is: Schema.Boolean })

/** The name of a moderator whose account was deleted, in records of their actions. */
export const DELETED_ACTOR = "Deleted account"

/** Moderators of a list, at most. */
const MOST = 1000

/** Statements over `moderators`: a row for each account that may moderate. */
export const moderatorStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one } = statements(sql, "moderators")
  const restricted = sql.literal(`${isRestricted("o")} as is_restricted`)

  return {
    /** Makes the account with this handle a moderator; returns none without such an account. */
    add: (handle: string, at: Date) => maybe("add", AddedRow)`
      with account as (
        select o.id, o.handle, ${restricted} from owners o where lower(o.handle) = lower(${handle}) for no key update
      ), added as (
        insert into moderators (owner_id, added_at) select id, ${at}::timestamptz from account
        on conflict do nothing returning owner_id
      )
      select account.*, exists (select from added) as is_changed,
        wire_time(coalesce((select m.added_at from moderators m where m.owner_id = account.id), ${at}::timestamptz)) as added_at
      from account`,

    /** Makes the account with this handle no moderator; returns none without such an account. */
    remove: (handle: string) => maybe("remove", RemovedRow)`
      with account as (select id, handle from owners where lower(handle) = lower(${handle})),
      removed as (delete from moderators m using account where m.owner_id = account.id returning m.owner_id)
      select account.*, exists (select from removed) as is_changed from account`,

    /** Ends the right to moderate of an account that is deleted. Its actions keep its id alone. */
    erase: (owner: OwnerId, limit: number) => changed("erase")`
      with gone as (delete from moderators where owner_id = ${owner} returning owner_id),
        named as (
          update administrator_actions set actor = ${DELETED_ACTOR} where ctid = any(array(
            select ctid from administrator_actions
            where actor_id = ${owner} and actor <> ${DELETED_ACTOR} limit ${limit}))
          returning id)
      select from gone union all select from named`,

    list: many("list", ModeratorRow)`
      select o.id, o.handle, ${restricted}, wire_time(m.added_at) as added_at
      from moderators m join owners o on o.id = m.owner_id
      order by m.added_at, o.id limit ${MOST}`,

    /** Returns the handle of a moderator who has the right to act; none for any other account. */
    acting: (owner: OwnerId) => maybe("acting", HandleRow)`
      select o.handle from moderators m join public_owners o on o.id = m.owner_id where m.owner_id = ${owner}`,

    /** Returns true for a moderator, restricted or not. */
    includes: (owner: OwnerId) =>
      Effect.map(
        one("includes", IsRow)`select exists (select from moderators where owner_id = ${owner}) as is`,
        (row) => row.is
      )
  }
})

/** Erases the rights of moderators whose accounts are deleted. */
export const moderatorErasure = Effect.map(moderatorStatements, ({ erase }) => ({ erase }))
