import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { EMAIL_CODE_TRIES_MAX } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import type { EmailCodePurpose } from "./purpose.ts"

/** The subject of a code: a mailbox for a login, else the id of the registration or change. */
export interface CodeName {
  readonly purpose: EmailCodePurpose
  readonly subject: string
}

export interface NewCode extends CodeName {
  readonly mailbox: EmailAddress
  readonly code_hash: Uint8Array
  readonly issued_at: Date
  readonly expires_at: Date
}

const CodeRow = Schema.Struct({
  mailbox: EmailAddress,
  code_hash: Schema.Uint8Array,
  is_redeemed: Schema.Boolean
})
export type CodeRow = typeof CodeRow.Type

/** The codes that were mailed, one for each thing that a code opens. */
export class EmailCodesRepo extends Context.Service<
  EmailCodesRepo,
  {
    /** In place of the former code of the same name, which is worth nothing from then on. */
    readonly put: (code: NewCode) => Effect.Effect<void>
    /** Counts a try and returns the hash to compare with; none without a code or a try left. */
    readonly countTry: (name: CodeName, at: Date) => Effect.Effect<Option.Option<CodeRow>>
    readonly redeem: (name: CodeName, at: Date) => Effect.Effect<void>
    readonly sweep: (expiredBefore: Date) => Effect.Effect<void>
  }
>()("pennypress/accounts/email-codes/EmailCodesRepo") {
  static readonly layer = Layer.effect(
    EmailCodesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const named = ({ purpose, subject }: CodeName) => sql`purpose = ${purpose} and subject = ${subject}`

      // Counted before it is compared, and under the lock of the row: of any number of guesses at once five are looked at.
      const countTry = SqlSchema.findOneOption({
        Request: Schema.Any,
        Result: CodeRow,
        execute: ({ at, name }: { readonly name: CodeName; readonly at: Date }) => sql`
          update email_codes set tries = tries + 1
          where ${named(name)} and tries < ${sql.literal(String(EMAIL_CODE_TRIES_MAX))} and expires_at > ${at}
          returning mailbox, code_hash, redeemed_at is not null as is_redeemed`
      })

      return EmailCodesRepo.of({
        put: Effect.fn("EmailCodesRepo.put")(
          (code) => sql`
            insert into email_codes ${sql.insert({ ...code })}
            on conflict (purpose, subject) do update
            set mailbox = excluded.mailbox, code_hash = excluded.code_hash, issued_at = excluded.issued_at,
              expires_at = excluded.expires_at, tries = 0, redeemed_at = null`,
          Effect.asVoid,
          Effect.orDie
        ),

        countTry: Effect.fn("EmailCodesRepo.countTry")((name, at) => Effect.orDie(countTry({ name, at }))),

        redeem: Effect.fn("EmailCodesRepo.redeem")(
          (name, at) => sql`update email_codes set redeemed_at = ${at} where ${named(name)}`,
          Effect.asVoid,
          Effect.orDie
        ),

        sweep: Effect.fn("EmailCodesRepo.sweep")(
          (expiredBefore) => sql`delete from email_codes where expires_at < ${expiredBefore}`,
          Effect.asVoid,
          Effect.orDie
        )
      })
    })
  )
}
