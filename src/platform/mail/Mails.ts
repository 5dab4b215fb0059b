import { Context, Effect, Layer, Metric, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { Mailer, MailUnavailable } from "../ports/Mailer.ts"
import { Sealer } from "../ports/Sealer.ts"
import { Settings } from "../ports/Settings.ts"
import { later, now } from "../time/now.ts"
import { Doorbells } from "../work/Doorbells.ts"
import type { Claim } from "../work/lease.ts"
import { nextAttempt } from "../work/nextAttempt.ts"
import { MailContent } from "./MailContent.ts"
import { bulkMailQueue, type ClaimedMail, mailStatements } from "./mails.sql.ts"
import { mailOf } from "./templates.ts"

/** The kinds of work that the bells, metrics and logs name: mails that may not wait, and those that may. */
export const MAILS = "mails"
export const BULK_MAILS = "bulk_mails"
/** Lease of a claimed mail: the time in which no other process may claim it. */
export const MAIL_LEASE_MILLIS = 60_000
/** Deadline of one send, for every mailer. It ends well before the lease. */
const SEND_MILLIS = 18_000
/** Waits after failed attempts. Most mails expire soon, so the service retries at least once a minute. */
const BACKOFF = { firstMillis: 1_000, longestMillis: 60_000 }
/**
 * Waits after failed attempts at mails that may wait. Thousands of them may wait for days, so they are not tried every
 * minute.
 */
const BULK_BACKOFF = { firstMillis: 60_000, longestMillis: 3_600_000 }

export interface NewMail {
  readonly recipient: EmailAddress
  readonly content: MailContent
  /** The moment after which the service no longer sends the mail. */
  readonly expiresAt: Date
  /** True for a mail that may wait. Such mails have places of their own, so that no code waits behind them. */
  readonly isBulk?: boolean
}

/**
 * The result of an attempt. `settled` covers both a mail that was sent and a mail without an addressee. Separate values
 * would tell every reader of the metrics whether a mailbox has an owner.
 */
type Outcome = "settled" | "rejected" | "retried" | "expired"

const deliveries = Metric.counter("mails_total", {
  description: "Attempts to deliver a mail, by kind and outcome",
  incremental: true
})
const waiting = Metric.gauge("mails_waiting", { description: "Mails in the outbox, counted once a minute" })

const MailJson = Schema.fromJsonString(MailContent)
const encode = Schema.encodeEffect(MailJson)
const decode = Schema.decodeOption(MailJson)

/** Mail to people. It leaves through an outbox, never within the request (spec 4.1). */
export class Mails extends Context.Service<
  Mails,
  {
    /**
     * Puts a mail into the outbox, within the surrounding transaction if there is one. Writes the same row whether or
     * not the mailbox has an owner.
     */
    readonly post: (mail: NewMail) => Effect.Effect<void>
    /** Claims mails that are due and may not wait, oldest first. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedMail>>
    /** Claims mails that are due and may wait, oldest first. */
    readonly claimBulk: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedMail>>
    /** Sends a claimed mail, and completes it or makes it due again. */
    readonly deliver: (mail: ClaimedMail) => Effect.Effect<void>
    /** Deletes expired mails that no delivery claimed, and counts the waiting ones. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/platform/mail/Mails") {
  static readonly layer = Layer.effect(
    Mails,
    Effect.gen(function* () {
      const mails = yield* mailStatements
      const { bell } = yield* Doorbells
      const sealer = yield* Sealer
      const mailer = yield* Mailer
      const random = yield* SecureRandom.SecureRandom
      const origin = yield* PublicBaseUrl
      const { siteName } = yield* Settings

      const post = Effect.fn("Mails.post")(function* ({
        content,
        expiresAt,
        isBulk = false,
        recipient
      }: NewMail) {
        yield* mails.insert({
          id: yield* random.uuidV7(),
          recipient,
          sealed_content: yield* sealer.seal(yield* Effect.orDie(encode(content))),
          created_at: yield* now,
          expires_at: expiresAt,
          is_bulk: isBulk
        })
        yield* bell(isBulk ? BULK_MAILS : MAILS).ring
      })

      /**
       * Returns the address of a mail. A login code goes to the address as the account spells it, never as the request
       * spelled it.
       */
      const recipientOf = ({ owner_email, recipient }: ClaimedMail, { kind }: MailContent) =>
        kind === "login_code" ? (owner_email ?? recipient) : recipient

      const send = (row: ClaimedMail, content: MailContent) =>
        mailer
          .send(
            mailOf(content, {
              id: row.id,
              origin,
              siteName,
              recipient: recipientOf(row, content),
              hasOwner: row.owner_email !== null
            })
          )
          .pipe(
            Effect.timeoutOrElse({
              duration: SEND_MILLIS,
              orElse: () => Effect.fail(new MailUnavailable({ reason: "unknown" }))
            }),
            Effect.as<Outcome>("settled"),
            Effect.catchTags({
              MailRejected: ({ reason }) =>
                Effect.logWarning("A mail was rejected").pipe(
                  Effect.annotateLogs({ reason }),
                  Effect.as<Outcome>("rejected")
                ),
              MailUnavailable: ({ reason }) =>
                Effect.logInfo("A mail has to wait").pipe(
                  Effect.annotateLogs({ reason }),
                  Effect.as<Outcome>("retried")
                )
            })
          )

      const attempt = Effect.fnUntraced(function* (row: ClaimedMail, content: Option.Option<MailContent>) {
        if (row.expires_at <= (yield* now)) return "expired"
        if (Option.isNone(content)) {
          // During a rollout, another process may have the new secret or know the new kind.
          yield* Effect.logWarning("A mail cannot be opened here")
          return "retried"
        }
        if (content.value.kind === "login_code" && row.owner_email === null) return "settled"
        return yield* send(row, content.value)
      })

      /** Records the outcome of a mail, and whether this process still held its lease. */
      const settle = Effect.fnUntraced(function* (row: ClaimedMail, outcome: Outcome) {
        if (outcome !== "retried") return [outcome, yield* mails.complete(row)] as const
        const dueAt = yield* nextAttempt(random, row.is_bulk ? BULK_BACKOFF : BACKOFF, row.attempts)
        if (dueAt >= row.expires_at) return ["expired", yield* mails.complete(row)] as const
        return [outcome, yield* mails.release(row, dueAt)] as const
      })

      const deliver = Effect.fn("Mails.deliver")(
        function* (row: ClaimedMail) {
          const content = Option.flatMap(yield* sealer.open(row.sealed_content), (text) => decode(text))
          const kind = Option.match(content, { onNone: () => "unknown", onSome: (it) => it.kind })
          yield* Effect.gen(function* () {
            if (row.was_cut) {
              yield* Metric.update(Metric.withAttributes(deliveries, { kind, outcome: "cut" }), 1)
              yield* Effect.logWarning(
                "An attempt to send a mail was cut off; the mail may arrive twice, as one message"
              )
            }
            const [outcome, isOurs] = yield* settle(row, yield* attempt(row, content))
            yield* Metric.update(Metric.withAttributes(deliveries, { kind, outcome }), 1)
            if (outcome === "expired") yield* Effect.logWarning("A mail expired before it could be sent")
            if (!isOurs) yield* Effect.logWarning("The lease of a mail was lost; it may arrive twice")
          }).pipe(Effect.annotateLogs({ kind }))
        },
        (effect, { id }) => Effect.annotateLogs(effect, { mail: id })
      )

      return Mails.of({
        post,
        claim: (claim) => mails.claim(claim),
        claimBulk: (claim) => mails.claim(claim, bulkMailQueue),
        deliver,
        // A running delivery claims and counts expired mails itself.
        sweep: Effect.gen(function* () {
          yield* mails.sweep(later(yield* now, -MAIL_LEASE_MILLIS))
          yield* Metric.update(waiting, yield* mails.count)
        })
      })
    })
  )
}
