import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import { type Claim, type Lease, leases } from "../work/lease.ts"

export interface NewMail {
  readonly id: string
  readonly recipient: EmailAddress
  readonly sealed_content: Uint8Array
  readonly created_at: Date
  readonly expires_at: Date
}

/** A mail that this process holds a lease on. */
export const ClaimedMail = Schema.Struct({
  id: Schema.String,
  recipient: Schema.String,
  sealed_content: Schema.Uint8Array,
  expires_at: Schema.Date,
  attempts: Schema.Int,
  /** True when the previous attempt ended without a record, as in a crash. That attempt may have sent the mail. */
  was_cut: Schema.Boolean,
  /** The address of the account with this mailbox, as its owner spells it. */
  owner_email: Schema.NullOr(Schema.String)
})
export type ClaimedMail = typeof ClaimedMail.Type

/** The outbox of mail. */
export class MailsRepo extends Context.Service<
  MailsRepo,
  {
    /** Puts a mail into the outbox, due at once. */
    readonly insert: (mail: NewMail) => Effect.Effect<void>
    /** Claims mails that are due. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedMail>>
    /** Deletes a mail that needs no further attempt; false when its lease ended. */
    readonly complete: (lease: Lease) => Effect.Effect<boolean>
    /** Ends a lease and makes the mail due at this time; false when the lease ended before. */
    readonly release: (lease: Lease, dueAt: Date) => Effect.Effect<boolean>
    /** Deletes mails that expired before this time. */
    readonly sweep: (expiredBefore: Date) => Effect.Effect<void>
    /** Counts the mails that have not left yet. */
    readonly count: Effect.Effect<number>
  }
>()("pennypress/platform/mail/MailsRepo") {
  static readonly layer = Layer.effect(
    MailsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const { due, held, leased } = leases(sql, "mails")

      // The claim looks the owner up, not the request that posts the mail. The request therefore takes the same time
      // for every mailbox.
      const claim = SqlSchema.findAll({
        Request: Schema.Any,
        Result: ClaimedMail,
        execute: (claim: Claim) => sql`
          with ${due(claim)}
          update mails m set ${leased(claim)}, attempt_began_at = ${claim.at}
          from due join (select id, attempt_began_at from mails) before on before.id = due.id
          where m.id = due.id
          returning m.id, m.recipient, m.sealed_content, m.expires_at, m.attempts,
            before.attempt_began_at is not null as was_cut,
            (select o.email from owners o where o.mailbox is null and o.email = m.recipient
             union all
             select o.email from owners o where o.mailbox = coalesce(m.mailbox, m.recipient)
             limit 1) as owner_email`
      })

      return MailsRepo.of({
        insert: Effect.fn("MailsRepo.insert")(
          (mail) =>
            sql`insert into mails ${sql.insert({ ...mail, mailbox: mailboxOf(mail.recipient), due_at: mail.created_at })}`,
          Effect.asVoid,
          Effect.orDie
        ),

        claim: Effect.fn("MailsRepo.claim")((asked) => Effect.orDie(claim(asked))),

        complete: Effect.fn("MailsRepo.complete")(function* (lease) {
          const completed = yield* sql`delete from mails where ${held(lease)} returning id`
          return completed.length === 1
        }, Effect.orDie),

        release: Effect.fn("MailsRepo.release")(function* (lease, dueAt) {
          const released =
            yield* sql`update mails set due_at = ${dueAt}, attempt_began_at = null where ${held(lease)} returning id`
          return released.length === 1
        }, Effect.orDie),

        sweep: Effect.fn("MailsRepo.sweep")(
          (expiredBefore) => sql`delete from mails where expires_at < ${expiredBefore}`,
          Effect.asVoid,
          Effect.orDie
        ),

        count: sql<{ readonly mails: number }>`select count(*)::int4 as mails from mails`.pipe(
          Effect.map(([row]) => row?.mails ?? 0),
          Effect.orDie,
          Effect.withSpan("MailsRepo.count")
        )
      })
    })
  )
}
