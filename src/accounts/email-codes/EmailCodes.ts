import { Context, Effect, Layer, Option } from "effect"
import {
  EMAIL_CODE_LIFETIME_SECONDS,
  type EmailCode,
  MAILBOX_COOLDOWN_SECONDS
} from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { type EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import type { LimitName } from "../../../schemas/platform/rate-limits/limits.ts"
import type { Letters } from "../../platform/mail/Letter.ts"
import { Mails } from "../../platform/mail/Mails.ts"
import { Pepper } from "../../platform/ports/Pepper.ts"
import { type RateLimitExceeded, RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { later, now } from "../../platform/time/now.ts"
import { type CodeName, emailCodeStatements } from "./emailCodes.sql.ts"
import { type EmailCodePurpose, VerifiedMailbox } from "./VerifiedMailbox.ts"

/** The hourly budget that a mail is counted against. */
type MailBudget =
  /**
   * Mail that the owner requests. `asker` is the account or the client, so that strangers cannot spend the owner's
   * budget.
   */
  | { readonly limit: "mailbox-hour"; readonly asker: string }
  /** Registrations, which anyone may send for any address. */
  | { readonly limit: "mailbox-registrations" }

/** Purposes whose mails go to mailboxes that may belong to strangers. */
const MAILS_STRANGERS: ReadonlySet<EmailCodePurpose> = new Set(["registration", "email_change"])

export interface CodeRequest extends CodeName {
  readonly recipient: EmailAddress
  /** Names the caller who causes the mail, such as its network. */
  readonly client: string
  readonly budget: MailBudget
  /** Writes the mail that brings the code. */
  readonly lettersOf: (code: EmailCode, expiresAt: Date) => Effect.Effect<Letters>
}

/**
 * One-time codes by mail: six digits, ten minutes, five tries. A mailbox gets one mail a minute, and five an hour from
 * each budget. A client causes a limited number of mails an hour and a day, to any mailboxes. All clients together cause
 * a limited number to mailboxes that may belong to strangers. All methods run inside the caller's transaction.
 */
export class EmailCodes extends Context.Service<
  EmailCodes,
  {
    /**
     * Draws a code and puts its mail into the outbox; the code replaces an earlier one of the same name. Does the same
     * work for every mailbox, so that neither the answer nor its timing reveals which mailbox has an owner. Fails when
     * the mailbox is cooling down or a budget is spent; the caller's transaction must fail with it.
     */
    readonly issue: (request: CodeRequest) => Effect.Effect<{ readonly expiresAt: Date }, RateLimitExceeded>
    /**
     * Returns the seconds until another mail, if a code was mailed less than a minute ago and can still be used. A person who
     * asks again enters that code, which may be on its way or read already.
     */
    readonly recent: (name: CodeName) => Effect.Effect<Option.Option<number>>
    /**
     * Returns the mailbox that a code was sent to; none for a wrong, expired, replaced or exhausted one. A try counts
     * only if the caller's transaction commits, so a caller that then fails uses `Transactions.runKeeping`.
     */
    readonly redeem: (name: CodeName, code: EmailCode) => Effect.Effect<Option.Option<VerifiedMailbox>>
    /** Returns the hash of a code, for a later comparison that uses up no try. */
    readonly hashOf: (name: CodeName, code: EmailCode) => Effect.Effect<Uint8Array>
    /** Compares a code with such a hash in constant time. */
    readonly isCode: (name: CodeName, code: EmailCode, hash: Uint8Array) => Effect.Effect<boolean>
    /** Deletes expired codes. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/accounts/email-codes/EmailCodes") {
  static readonly layer = Layer.effect(
    EmailCodes,
    Effect.gen(function* () {
      const codes = yield* emailCodeStatements
      const mails = yield* Mails
      const pepper = yield* Pepper
      const rateLimits = yield* RateLimits
      const secrets = yield* Secrets

      /** Bound to the subject of the code, so that equal codes of two subjects have different hashes. */
      const textOf = ({ purpose, subject }: CodeName, code: EmailCode) => `${purpose} ${subject} ${code}`

      /** Counts a mail against all of these limits, or against none if one refuses it. */
      const countAll = Effect.fnUntraced(function* (counts: ReadonlyArray<readonly [LimitName, string]>) {
        for (const [index, [limit, of]] of counts.entries()) {
          yield* Effect.tapError(rateLimits.consume(limit, of), () =>
            Effect.forEach(counts.slice(0, index), (counted) => rateLimits.giveBack(...counted))
          )
        }
      })

      return EmailCodes.of({
        issue: Effect.fn("EmailCodes.issue")(function* (request) {
          const { budget, client, lettersOf, purpose, recipient, subject } = request
          const issuedAt = yield* now
          const expiresAt = later(issuedAt, EMAIL_CODE_LIFETIME_SECONDS * 1000)
          const code = yield* secrets.emailCode
          yield* codes.put({
            purpose,
            subject,
            mailbox: recipient,
            code_hash: yield* pepper.hash(textOf({ purpose, subject }, code)),
            issued_at: issuedAt,
            expires_at: expiresAt
          })
          yield* mails.post({ recipient, letters: yield* lettersOf(code, expiresAt), expiresAt })
          // Last, so that a failing database uses up no limit.
          const mailbox = mailboxOf(recipient)
          const spender = budget.limit === "mailbox-hour" ? `${mailbox} ${budget.asker}` : mailbox
          yield* countAll([
            ["mailbox-cooldown", mailbox],
            [budget.limit, spender],
            ["code-mails-hour", client],
            ["code-mails-day", client],
            ...(MAILS_STRANGERS.has(purpose) ? ([["code-mails-all", "all"]] as const) : [])
          ])
          return { expiresAt }
        }),

        recent: Effect.fn("EmailCodes.recent")(function* (name) {
          const since = later(yield* now, -MAILBOX_COOLDOWN_SECONDS * 1000)
          return Option.map(yield* codes.recent(name, since), ({ issued_at }) =>
            Math.ceil((issued_at.getTime() - since.getTime()) / 1000)
          )
        }),

        redeem: Effect.fn("EmailCodes.redeem")(function* (name, code) {
          const at = yield* now
          const found = yield* codes.countTry(name, at)
          if (Option.isNone(found)) return Option.none()
          const { code_hash, is_redeemed, mailbox } = found.value
          if (!(yield* pepper.matches(textOf(name, code), code_hash))) return Option.none()
          if (!is_redeemed) yield* codes.redeem(name, at)
          return Option.some(
            VerifiedMailbox.make({ purpose: name.purpose, address: mailbox, isRepeat: is_redeemed })
          )
        }),

        hashOf: (name, code) => pepper.hash(textOf(name, code)),
        isCode: (name, code, hash) => pepper.matches(textOf(name, code), hash),
        sweep: Effect.flatMap(now, codes.sweep)
      })
    })
  )
}
