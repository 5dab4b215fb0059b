import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { EmailChangeId, type OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** The address of an account, its pending change, and the proof that confirmed the address. */
const AccountEmailRow = Schema.Struct({
  email: Schema.NullOr(EmailAddress),
  pending_id: Schema.NullOr(EmailChangeId),
  pending_email: Schema.NullOr(EmailAddress),
  confirmed_id: Schema.NullOr(EmailChangeId),
  confirmed_code_hash: Schema.NullOr(Schema.Uint8Array),
  /** The e-mail session that confirmed, and the sealed pair that it got. */
  confirmed_session_id: Schema.NullOr(SessionId),
  sealed_pair: Schema.NullOr(Schema.Uint8Array)
})
export type AccountEmailRow = typeof AccountEmailRow.Type

interface NewChange {
  readonly owner_id: OwnerId
  readonly id: EmailChangeId
  readonly email: EmailAddress
  readonly requested_at: Date
}

/** The confirmation of a change. */
interface Confirmation {
  readonly owner_id: OwnerId
  readonly change_id: EmailChangeId
  readonly code_hash: Uint8Array
  readonly confirmed_at: Date
  readonly session_id: SessionId | null
  readonly sealed_pair: Uint8Array | null
}

/** Statements over `email_changes`, which are pending, and `email_confirmations`, the proofs of confirmed ones. */
export const emailChangeStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, one, run } = statements(sql, "emailChanges")

  return {
    // The previous version kept a confirmed change in the place of the pending one.
    find: (owner: OwnerId) => one("find", AccountEmailRow)`
      select o.email, c.id as pending_id, c.email as pending_email, p.change_id as confirmed_id,
        p.code_hash as confirmed_code_hash, p.session_id as confirmed_session_id, p.sealed_pair
      from owners o
      left join email_changes c on c.owner_id = o.id and c.confirmed_at is null
      left join email_confirmations p on p.owner_id = o.id
      where o.id = ${owner}`,

    /** Replaces the pending change. */
    put: (change: NewChange) => run("put")`
      insert into email_changes ${sql.insert({ ...change })}
      on conflict (owner_id) do update
      set id = excluded.id, email = excluded.email, requested_at = excluded.requested_at, confirmed_at = null`,

    withdraw: (owner: OwnerId) => run("withdraw")`delete from email_changes where owner_id = ${owner}`,

    /** Ends the pending change and keeps its proof, in place of an earlier one. */
    confirm: (confirmation: Confirmation) => run("confirm")`
      with ended as (delete from email_changes where owner_id = ${confirmation.owner_id})
      insert into email_confirmations ${sql.insert({ ...confirmation })}
      on conflict (owner_id) do update
      set change_id = excluded.change_id, code_hash = excluded.code_hash, confirmed_at = excluded.confirmed_at,
        session_id = excluded.session_id, sealed_pair = excluded.sealed_pair`,

    /** Erases the pending change of an owner and the proof of the last one. */
    erase: (owner: OwnerId) => changed("erase")`
      with gone as (delete from email_confirmations where owner_id = ${owner} returning owner_id),
        pending as (delete from email_changes where owner_id = ${owner} returning owner_id)
      select from gone union all select from pending`,

    /** Deletes the pairs of confirmations before this time. */
    sweepPairs: (confirmedBefore: Date) => run("sweepPairs")`
      update email_confirmations set sealed_pair = null
      where sealed_pair is not null and confirmed_at < ${confirmedBefore}`
  }
})

/** Erases the mailboxes of accounts that are deleted. */
export const emailChangeErasure = Effect.map(emailChangeStatements, ({ erase }) => ({ erase }))
