import { Context, Effect, Layer, Metric, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { type Mail, Mailer, MailUnavailable } from "../ports/Mailer.ts"
import { Sealer } from "../ports/Sealer.ts"
import { Settings } from "../ports/Settings.ts"
import { Transactions } from "../sql/Transactions.ts"
import { later, now } from "../time/now.ts"
import { Doorbells } from "../work/Doorbells.ts"
import type { Claim } from "../work/lease.ts"
import { nextAttempt } from "../work/nextAttempt.ts"
import { Letters } from "./Letter.ts"
import { MailBodies, type MailBody } from "./MailBodies.ts"
import {
  bulkMailQueue,
  type ClaimedMail,
  mailStatements,
  type NewSharedMails,
  sharedMailQueue
} from "./mails.sql.ts"
import { makePace } from "./pace.ts"
import { mailOf } from "./templates.ts"

/** The kinds of work that the bells, metrics and logs name: mails that may not wait, and those that may. */
export const MAILS = "mails"
export const BULK_MAILS = "bulk_mails"
/** Mails that many readers get, which leave at the pace of the operator. */
export const SHARED_MAILS = "shared_mails"
/** Lease of a claimed mail: the time in which no other process may claim it. */
export const MAIL_LEASE_MILLIS = 180_000
/** Deadline of one send, for every mailer. It ends well before the lease. */
const SEND_MILLIS = 150_000
/** Lease of a mail from when its text leaves. If the server does not answer, the mail may have arrived. */
const HANDED_OVER_MILLIS = 3_600_000
/** Waits after failed attempts. Most mails expire soon, so the service retries at least once a minute. */
const BACKOFF = { firstMillis: 1_000, longestMillis: 60_000 }
/**
 * Waits after failed attempts at mails that may wait. Thousands of them may wait for days, so they are not tried every
 * minute.
 */
const BULK_BACKOFF = { firstMillis: 60_000, longestMillis: 3_600_000 }

export interface NewMail {
  readonly recipient: EmailAddress
  readonly letters: Letters
  /** The moment after which the service no longer sends the mail. */
  readonly expiresAt: Date
  /** True for a mail that may wait. Such mails have places of their own, so that no code waits behind them. */
  readonly isBulk?: boolean
}

/**
 * The result of an attempt. `settled` covers both a mail that was sent and a mail without an addressee. Separate values
 * would tell every reader of the metrics whether a mailbox has an owner. `unknown`: the text left, and the server did
 * not answer. `paced`: its turn has not come yet.
 */
type Outcome = "settled" | "rejected" | "retried" | "unknown" | "expired" | "paced"

const deliveries = Metric.counter("mails_total", {
  description: "Attempts to deliver a mail, by kind and outcome",
  incremental: true
})
const bulk = Metric.counter("bulk_mails_total", {
  description: "Attempts to deliver a mail that many readers get, by outcome",
  incremental: true
})
const waiting = Metric.gauge("mails_waiting", { description: "Mails in the outbox, counted once a minute" })

const LettersJson = Schema.fromJsonString(Letters)
const encode = Schema.encodeEffect(LettersJson)
const decode = Schema.decodeOption(LettersJson)

/** Mail to people. It leaves through an outbox, never within the request (spec 4.1). */
export class Mails extends Context.Service<
  Mails,
  {
    /**
     * Puts a mail into the outbox, within the surrounding transaction if there is one. Writes the same row whether or
     * not the mailbox has an owner.
     */
    readonly post: (mail: NewMail) => Effect.Effect<void>
    /** Puts mails that share a body into the outbox, within the surrounding transaction. `MailBodies` has their texts. */
    readonly postShared: (
      mails: Omit<NewSharedMails, "readers"> & {
        readonly readers: ReadonlyArray<Omit<NewSharedMails["readers"][number], "id">>
      }
    ) => Effect.Effect<void>
    /** Counts the mails that share a body and wait, at most `limit`. */
    readonly countShared: (limit: number) => Effect.Effect<number>
    /** Claims mails that are due and may not wait, oldest first. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedMail>>
    /** Claims mails that are due and may wait, oldest first. */
    readonly claimBulk: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedMail>>
    /** Claims mails that share a body and are due, oldest first; none while the mail server wants a rest. */
    readonly claimShared: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedMail>>
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
      const bodies = yield* MailBodies
      const pace = yield* makePace
      const transactions = yield* Transactions

      const post = Effect.fn("Mails.post")(function* ({
        expiresAt,
        isBulk = false,
        letters,
        recipient
      }: NewMail) {
        yield* mails.insert({
          id: yield* random.uuidV7(),
          recipient,
          sealed_content: yield* sealer.seal(yield* Effect.orDie(encode(letters))),
          created_at: yield* now,
          expires_at: expiresAt,
          is_bulk: isBulk
        })
        yield* bell(isBulk ? BULK_MAILS : MAILS).ring
      })

      /**
       * Returns the address of a mail. A letter for owners alone goes to the address as the account spells it, never as the
       * request spelled it.
       */
      const recipientOf = (
        { owner_email, recipient }: ClaimedMail,
        { isForAccount = false, toStranger }: Letters
      ) => (toStranger === null || isForAccount ? (owner_email ?? recipient) : recipient)

      const send = (row: ClaimedMail, mail: Mail, body?: MailBody) => {
        let hasLeft = false
        const handOver = Effect.gen(function* () {
          const at = yield* now
          const isOurs = yield* mails.handOver(row, at, later(at, HANDED_OVER_MILLIS))
          if (!isOurs) return yield* Effect.die(new Error("Lost the lease of a mail before its text left"))
          hasLeft = true
        })
        return mailer.send(mail, handOver).pipe(
          Effect.timeoutOrElse({
            duration: SEND_MILLIS,
            orElse: () => Effect.fail(new MailUnavailable({ reason: "unknown" }))
          }),
          Effect.as<Outcome>("settled"),
          Effect.catchTags({
            MailRejected: ({ reason }) =>
              Effect.logWarning("A mail was rejected").pipe(
                Effect.annotateLogs({ reason }),
                Effect.andThen(body === undefined ? Effect.void : body.refused(reason !== "message")),
                Effect.as<Outcome>("rejected")
              ),
            MailUnavailable: ({ reason }) => {
              const isRefused = reason !== "connection" && reason !== "unknown"
              return hasLeft && !isRefused
                ? Effect.as(
                    Effect.logWarning("The mail server did not say whether it accepted a mail"),
                    "unknown" as const
                  )
                : Effect.logInfo("A mail is delayed").pipe(
                    Effect.annotateLogs({ reason }),
                    Effect.andThen(body !== undefined && reason === "deferred" ? pace.rest : Effect.void),
                    Effect.as<Outcome>("retried")
                  )
            }
          })
        )
      }

      /** Sends the mail of one of many readers, when its turn has come. */
      const attemptShared = Effect.fnUntraced(function* (row: ClaimedMail, bodyId: string, readerId: string) {
        if (row.expires_at <= (yield* now)) return "expired"
        const body = bodies.bodyOf({ bodyId, readerId })
        const early = yield* body
        // A mail that no one gets takes no turn.
        if (Option.isNone(early)) return "settled"
        const turn = yield* pace.myTurn
        if (turn === "far") return "paced"
        const found = turn === "waited" ? yield* body : early
        if (Option.isNone(found)) return "settled"
        const { from, refused: _, ...words } = found.value
        const to = { address: row.recipient }
        const mail = { id: row.id, to, fromName: from, ...words }
        return yield* send(row, mail, found.value)
      })

      const attempt = Effect.fnUntraced(function* (row: ClaimedMail, letters: Option.Option<Letters>) {
        if (row.expires_at <= (yield* now)) return "expired"
        if (Option.isNone(letters)) {
          // During a rollout, another process may have the new secret or know the new kind.
          yield* Effect.logWarning("A mail cannot be decrypted or read by this process")
          return "retried"
        }
        const { isUnsent = false, toOwner, toStranger } = letters.value
        const letter = isUnsent ? null : row.owner_email === null ? toStranger : toOwner
        if (letter === null) return "settled"
        const recipient = recipientOf(row, letters.value)
        return yield* send(row, mailOf(letter, { id: row.id, origin, siteName, recipient }))
      })

      /** Records the outcome of a mail, and whether this process still held its lease. */
      const settle = Effect.fnUntraced(function* (row: ClaimedMail, outcome: Outcome) {
        // Only a mail to a reader remembers for all of its attempts that the text once left without an answer.
        const keepsCut = row.body_id !== null && row.was_cut
        if (outcome === "unknown") {
          // The mail keeps its lease. A code expires before that ends. A mail to a reader is tried twice: it is no code.
          const isLast = keepsCut || later(yield* now, HANDED_OVER_MILLIS) >= row.expires_at
          return [outcome, isLast ? yield* mails.complete(row) : true] as const
        }
        if (outcome === "paced") return [outcome, yield* mails.release(row, yield* now, keepsCut)] as const
        if (outcome !== "retried") return [outcome, yield* mails.complete(row)] as const
        const dueAt = yield* nextAttempt(random, row.is_bulk ? BULK_BACKOFF : BACKOFF, row.attempts)
        if (dueAt >= row.expires_at) return ["expired", yield* mails.complete(row)] as const
        return [outcome, yield* mails.release(row, dueAt, keepsCut)] as const
      })

      const deliver = Effect.fn("Mails.deliver")(
        function* (row: ClaimedMail) {
          const { body_id, reader_id, sealed_content } = row
          const letters =
            sealed_content === null
              ? Option.none()
              : Option.flatMap(yield* sealer.open(sealed_content), (text) => decode(text))
          const isShared = body_id !== null && reader_id !== null
          const kind = isShared
            ? "post"
            : Option.match(letters, { onNone: () => "unknown", onSome: (it) => it.kind })
          yield* Effect.gen(function* () {
            if (row.was_cut) {
              yield* Metric.update(Metric.withAttributes(deliveries, { kind, outcome: "cut" }), 1)
              yield* Effect.logWarning(
                "The end of an attempt to send a mail is unknown: it may arrive twice, with the same Message-ID"
              )
            }
            const attempted = yield* (
              isShared ? attemptShared(row, body_id, reader_id) : attempt(row, letters)
            ).pipe(
              // A stop cuts off the attempt. Another process may send a text that has not left.
              Effect.onInterrupt(() => Effect.flatMap(now, (at) => mails.releaseUnsent(row, at)))
            )
            const [outcome, isOurs] = yield* settle(row, attempted)
            yield* Metric.update(Metric.withAttributes(deliveries, { kind, outcome }), 1)
            if (isShared) yield* Metric.update(Metric.withAttributes(bulk, { outcome }), 1)
            if (outcome === "expired") yield* Effect.logWarning("A mail expired before it could be sent")
            if (outcome === "expired" && isShared && isOurs) yield* bodies.expired(body_id, 1)
            if (!isOurs) yield* Effect.logWarning("Lost the lease of a mail: it may arrive twice")
          }).pipe(Effect.annotateLogs({ kind }))
        },
        (effect, { id }) => Effect.annotateLogs(effect, { mail: id })
      )

      /** Deletes expired mails together with the count of them. A running delivery claims and counts such mails itself. */
      const sweepExpired = Effect.gen(function* () {
        const expired = yield* mails.sweep(later(yield* now, -MAIL_LEASE_MILLIS))
        yield* Effect.forEach(expired, ({ body_id, mails: count }) => bodies.expired(body_id, count), {
          discard: true
        })
      })

      return Mails.of({
        post,
        postShared: Effect.fn("Mails.postShared")(function* ({ readers, ...shared }) {
          const ids = yield* Effect.replicateEffect(random.uuidV7(), readers.length)
          const named = readers.map((reader, index) => ({ ...reader, id: ids[index] ?? "" }))
          yield* mails.insertShared({ ...shared, readers: named })
          yield* bell(SHARED_MAILS).ring
        }),
        countShared: mails.countShared,
        claim: (claim) => mails.claim(claim),
        claimBulk: (claim) => mails.claim(claim, bulkMailQueue),
        claimShared: (claim) =>
          Effect.flatMap(pace.isResting, (isResting) =>
            isResting ? Effect.succeed([]) : mails.claim(claim, sharedMailQueue)
          ),
        deliver,
        sweep: Effect.gen(function* () {
          yield* transactions.run(sweepExpired)
          yield* Metric.update(waiting, yield* mails.count)
        })
      })
    })
  )
}
