import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { ApiKeyId, OwnerId, type RegistrationId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

export interface NewRegistration {
  readonly id: RegistrationId
  readonly email: EmailAddress
  readonly created_at: Date
  readonly expires_at: Date
}

/** The owner of a registration once it is verified, and its one key. */
const RegistrationRow = Schema.Struct({
  owner_id: Schema.NullOr(OwnerId),
  api_key_id: Schema.NullOr(ApiKeyId)
})
export type RegistrationRow = typeof RegistrationRow.Type

export class RegistrationsRepo extends Context.Service<
  RegistrationsRepo,
  {
    readonly insert: (registration: NewRegistration) => Effect.Effect<void>
    /** Records the owner of a verified registration. */
    readonly verified: (id: RegistrationId, owner: OwnerId) => Effect.Effect<void>
    /** Locks the row until the surrounding transaction ends, so that two requests for its key take turns. */
    readonly lock: (id: RegistrationId) => Effect.Effect<Option.Option<RegistrationRow>>
    /** Records the one key of a registration. */
    readonly keyIssued: (id: RegistrationId, key: ApiKeyId) => Effect.Effect<void>
    /** Deletes registrations that expired before this time without an owner. */
    readonly sweep: (expiredBefore: Date) => Effect.Effect<void>
  }
>()("pennypress/accounts/registrations/RegistrationsRepo") {
  static readonly layer = Layer.effect(
    RegistrationsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const { maybe, run } = statements(sql, "RegistrationsRepo")

      return RegistrationsRepo.of({
        insert: (registration) => run("insert")`insert into registrations ${sql.insert({ ...registration })}`,

        verified: (id, owner) =>
          run("verified")`update registrations set owner_id = ${owner} where id = ${id}`,

        lock: (id) => maybe("lock", RegistrationRow)`
          select owner_id, api_key_id from registrations where id = ${id} for update`,

        keyIssued: (id, key) =>
          run("keyIssued")`update registrations set api_key_id = ${key} where id = ${id}`,

        sweep: (expiredBefore) => run("sweep")`
          delete from registrations where owner_id is null and expires_at < ${expiredBefore}`
      })
    })
  )
}
