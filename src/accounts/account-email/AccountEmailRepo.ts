import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { EmailChangeId, OwnerId } from "../../../schemas/platform/Ids.ts"

/** An account's address, and its latest change with whether that was confirmed. */
export const AccountEmailRow = Schema.Struct({
  email: Schema.NullOr(EmailAddress),
  change_id: Schema.NullOr(EmailChangeId),
  change_email: Schema.NullOr(EmailAddress),
  is_confirmed: Schema.Boolean
})
export type AccountEmailRow = typeof AccountEmailRow.Type

/** The e-mail addresses of accounts and their changes. */
export class AccountEmailRepo extends Context.Service<
  AccountEmailRepo,
  {
    readonly find: (owner: OwnerId) => Effect.Effect<AccountEmailRow>
    /** In place of the former change. */
    readonly putChange: (change: {
      readonly owner_id: OwnerId
      readonly id: EmailChangeId
      readonly email: EmailAddress
      readonly requested_at: Date
    }) => Effect.Effect<void>
    readonly confirm: (owner: OwnerId, at: Date) => Effect.Effect<void>
  }
>()("pennypress/accounts/account-email/AccountEmailRepo") {
  static readonly layer = Layer.effect(
    AccountEmailRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const select = sql.literal(`
        select o.email, c.id as change_id, c.email as change_email,
          coalesce(c.confirmed_at is not null, false) as is_confirmed
        from owners o left join email_changes c on c.owner_id = o.id where o.id =`)

      const find = SqlSchema.findOne({
        Request: OwnerId,
        Result: AccountEmailRow,
        execute: (owner) => sql`${select} ${owner}`
      })

      return AccountEmailRepo.of({
        find: Effect.fn("AccountEmailRepo.find")((owner) => Effect.orDie(find(owner))),

        putChange: Effect.fn("AccountEmailRepo.putChange")(
          (change) => sql`
            insert into email_changes ${sql.insert({ ...change })}
            on conflict (owner_id) do update
            set id = excluded.id, email = excluded.email, requested_at = excluded.requested_at, confirmed_at = null`,
          Effect.asVoid,
          Effect.orDie
        ),

        confirm: Effect.fn("AccountEmailRepo.confirm")(
          (owner, at) => sql`update email_changes set confirmed_at = ${at} where owner_id = ${owner}`,
          Effect.asVoid,
          Effect.orDie
        )
      })
    })
  )
}
