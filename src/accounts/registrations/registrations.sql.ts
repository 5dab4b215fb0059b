import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { ApiKeyId, OwnerId, type RegistrationId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

interface NewRegistration {
  readonly id: RegistrationId
  readonly email: EmailAddress
  readonly created_at: Date
  readonly expires_at: Date
}

/** The owner of a registration once it is verified, and its one key. */
const RegistrationRow = Schema.Struct({
  email: EmailAddress,
  owner_id: Schema.NullOr(OwnerId),
  api_key_id: Schema.NullOr(ApiKeyId),
  /** The mailbox of the account that asks; null for an account without one. */
  asking_mailbox: Schema.NullOr(Schema.String)
})

/** Statements over `registrations`. */
export const registrationStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, maybe, run } = statements(sql, "registrations")

  return {
    insert: (registration: NewRegistration) =>
      run("insert")`insert into registrations ${sql.insert({ ...registration })}`,

    /** Records the owner of a verified registration. */
    verified: (id: RegistrationId, owner: OwnerId) =>
      run("verified")`update registrations set owner_id = ${owner} where id = ${id}`,

    /** Locks the row until the surrounding transaction ends, so that two requests for its key take turns. */
    lock: (id: RegistrationId, asking: OwnerId) => maybe("lock", RegistrationRow)`
      select r.email, r.owner_id, r.api_key_id,
        (select o.mailbox from owners o where o.id = ${asking}) as asking_mailbox
      from registrations r where r.id = ${id} for update of r`,

    /** Records the one key of a registration. */
    keyIssued: (id: RegistrationId, key: ApiKeyId) =>
      run("keyIssued")`update registrations set api_key_id = ${key} where id = ${id}`,

    /** Erases registrations of an owner. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from registrations where ctid = any(array(
        select ctid from registrations where owner_id = ${owner} limit ${limit}))`,

    /** Deletes registrations that expired before this time without an owner. */
    sweep: (expiredBefore: Date) => run("sweep")`
      delete from registrations where owner_id is null and expires_at < ${expiredBefore}`
  }
})

/** Erases registrations of accounts that are deleted. */
export const registrationErasure = Effect.map(registrationStatements, ({ eraseSome }) => ({ eraseSome }))
