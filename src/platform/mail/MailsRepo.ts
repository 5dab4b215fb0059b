import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"

export interface NewMail {
  readonly id: string
  readonly recipient: EmailAddress
  readonly sealed_content: Uint8Array
  readonly created_at: Date
  readonly expires_at: Date
}

/** A mail that this process holds the lease of: `attempts` names the lease, and grows with each. */
export const TakenMail = Schema.Struct({
  id: Schema.String,
  recipient: Schema.String,
  sealed_content: Schema.Uint8Array,
  expires_at: Schema.Date,
  attempts: Schema.Int,
  has_owner: Schema.Boolean
})
export type TakenMail = typeof TakenMail.Type

/** Which lease of which mail. */
export type MailLease = Pick<TakenMail, "id" | "attempts">

interface Taking {
  readonly at: Date
  readonly leaseUntil: Date
  readonly limit: number
}

/** The outbox of mail. */
export class MailsRepo extends Context.Service<
  MailsRepo,
  {
    /** Due at once. */
    readonly insert: (mail: NewMail) => Effect.Effect<void>
    /** Mails that are due and that nobody else takes, now this process's until the end of the lease. */
    readonly takeDue: (taking: Taking) => Effect.Effect<ReadonlyArray<TakenMail>>
    /** Forgets a mail; false when its lease is another's. */
    readonly remove: (lease: MailLease) => Effect.Effect<boolean>
    /** Makes a mail due at another time and ends the lease; false when that is another's. */
    readonly postpone: (lease: MailLease, dueAt: Date) => Effect.Effect<boolean>
    readonly sweep: (expiredBefore: Date) => Effect.Effect<void>
    /** Mails that have not left yet. */
    readonly count: Effect.Effect<number>
  }
>()("pennypress/platform/mail/MailsRepo") {
  static readonly layer = Layer.effect(
    MailsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      // Whether a mailbox has an owner is read here and not when the mail is posted, so that the request which
      // posts it takes the same time either way.
      const takeDue = SqlSchema.findAll({
        Request: Schema.Any,
        Result: TakenMail,
        execute: ({ at, leaseUntil, limit }: Taking) => sql`
          with due as materialized (
            select id from mails where due_at <= ${at} order by due_at limit ${limit} for update skip locked
          )
          update mails m set due_at = ${leaseUntil}, attempts = m.attempts + 1
          from due where m.id = due.id
          returning m.id, m.recipient, m.sealed_content, m.expires_at, m.attempts,
            exists (select from owners o where o.email = m.recipient) as has_owner`
      })

      const isHeld = ({ attempts, id }: MailLease) => sql`id = ${id} and attempts = ${attempts}`

      return MailsRepo.of({
        insert: Effect.fn("MailsRepo.insert")(
          (mail) => sql`insert into mails ${sql.insert({ ...mail, due_at: mail.created_at })}`,
          Effect.asVoid,
          Effect.orDie
        ),

        takeDue: Effect.fn("MailsRepo.takeDue")((taking) => Effect.orDie(takeDue(taking))),

        remove: Effect.fn("MailsRepo.remove")(function* (lease) {
          const removed = yield* sql`delete from mails where ${isHeld(lease)} returning id`
          return removed.length === 1
        }, Effect.orDie),

        postpone: Effect.fn("MailsRepo.postpone")(function* (lease, dueAt) {
          const postponed = yield* sql`update mails set due_at = ${dueAt} where ${isHeld(lease)} returning id`
          return postponed.length === 1
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
