import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"

/** A new account that has no wallet. */
export interface NewAccount {
  readonly id: OwnerId
  readonly kind: "email" | "guest"
  readonly name: string
  readonly handle: string
  /** Null for a guest. */
  readonly email: EmailAddress | null
  readonly at: Date
}

/** Accounts: who owns what. */
export class AccountsRepo extends Context.Service<
  AccountsRepo,
  {
    /** False when another account has the address. */
    readonly insert: (account: NewAccount) => Effect.Effect<boolean>
    readonly findByEmail: (email: EmailAddress) => Effect.Effect<Option.Option<OwnerId>>
    readonly isGuest: (id: OwnerId) => Effect.Effect<boolean>
  }
>()("pennypress/accounts/owners/AccountsRepo") {
  static readonly layer = Layer.effect(
    AccountsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const findByEmail = SqlSchema.findOneOption({
        Request: Schema.String,
        Result: Schema.Struct({ id: OwnerId }),
        execute: (email) => sql`select id from owners where email = ${email}`
      })

      return AccountsRepo.of({
        insert: Effect.fn("AccountsRepo.insert")(function* ({ at, email, handle, id, kind, name }) {
          const inserted = yield* sql`
            insert into owners (id, kind, name, handle, email, email_verified_at, created_at)
            values (${id}, ${kind}, ${name}, ${handle}, ${email}, ${email === null ? null : at}, ${at})
            on conflict (email) do nothing
            returning id`
          return inserted.length === 1
        }, Effect.orDie),

        findByEmail: Effect.fn("AccountsRepo.findByEmail")((email) =>
          findByEmail(email).pipe(Effect.map(Option.map(({ id }) => id)), Effect.orDie)
        ),

        isGuest: Effect.fn("AccountsRepo.isGuest")(function* (id) {
          const guests = yield* sql`select from owners where id = ${id} and kind = 'guest'`
          return guests.length === 1
        }, Effect.orDie)
      })
    })
  )
}
