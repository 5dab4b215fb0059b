import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { ApiKeyId, OwnerId, RegistrationId } from "../../../schemas/platform/Ids.ts"

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
    readonly verified: (id: RegistrationId, owner: OwnerId) => Effect.Effect<void>
    /** Locked until the surrounding transaction ends, so that two requests for its key take turns. */
    readonly lock: (id: RegistrationId) => Effect.Effect<Option.Option<RegistrationRow>>
    readonly keyIssued: (id: RegistrationId, key: ApiKeyId) => Effect.Effect<void>
    /** Forgets those that were never verified. */
    readonly sweep: (expiredBefore: Date) => Effect.Effect<void>
  }
>()("pennypress/accounts/registrations/RegistrationsRepo") {
  static readonly layer = Layer.effect(
    RegistrationsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const lock = SqlSchema.findOneOption({
        Request: RegistrationId,
        Result: RegistrationRow,
        execute: (id) => sql`select owner_id, api_key_id from registrations where id = ${id} for update`
      })

      return RegistrationsRepo.of({
        insert: Effect.fn("RegistrationsRepo.insert")(
          (registration) => sql`insert into registrations ${sql.insert({ ...registration })}`,
          Effect.asVoid,
          Effect.orDie
        ),
        verified: Effect.fn("RegistrationsRepo.verified")(
          (id, owner) => sql`update registrations set owner_id = ${owner} where id = ${id}`,
          Effect.asVoid,
          Effect.orDie
        ),
        lock: Effect.fn("RegistrationsRepo.lock")((id) => Effect.orDie(lock(id))),
        keyIssued: Effect.fn("RegistrationsRepo.keyIssued")(
          (id, key) => sql`update registrations set api_key_id = ${key} where id = ${id}`,
          Effect.asVoid,
          Effect.orDie
        ),
        sweep: Effect.fn("RegistrationsRepo.sweep")(
          (expiredBefore) =>
            sql`delete from registrations where owner_id is null and expires_at < ${expiredBefore}`,
          Effect.asVoid,
          Effect.orDie
        )
      })
    })
  )
}
