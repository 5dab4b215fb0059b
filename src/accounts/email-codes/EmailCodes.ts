import { Context, Effect, Layer, Option } from "effect"
import {
  EMAIL_CODE_LIFETIME_SECONDS,
  type EmailCode
} from "../../../schemas/accounts/email-codes/EmailCode.ts"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import type { MailContent } from "../../platform/mail/MailContent.ts"
import { Mails } from "../../platform/mail/Mails.ts"
import { Pepper } from "../../platform/ports/Pepper.ts"
import { type RateLimitExceeded, RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { later, now } from "../../platform/time/now.ts"
import { type CodeName, EmailCodesRepo } from "./EmailCodesRepo.ts"
import { VerifiedMailbox } from "./VerifiedMailbox.ts"

export interface CodeRequest extends CodeName {
  readonly mailbox: EmailAddress
  /** The mail that brings the code. */
  readonly contentOf: (code: EmailCode, expiresAt: Date) => Effect.Effect<MailContent>
}

/**
 * One-time codes by mail: six digits, ten minutes, five tries, a minute between two mails to a mailbox and five in an
 * hour. Both run inside the caller's transaction.
 */
export class EmailCodes extends Context.Service<
  EmailCodes,
  {
    /**
     * Draws a code and puts its mail into the outbox; a former code of the same name is worth nothing any more. Does
     * the same work for every mailbox, so that neither the answer nor its time tells which has an owner. When the
     * mailbox is cooling down, the caller's transaction fails and nothing is changed.
     */
    readonly issue: (request: CodeRequest) => Effect.Effect<{ readonly expiresAt: Date }, RateLimitExceeded>
    /**
     * The mailbox that a code was sent to; none for a wrong, expired, replaced or exhausted one. A wrong try counts
     * once the caller's transaction commits, so a caller must not fail it for this.
     */
    readonly redeem: (name: CodeName, code: EmailCode) => Effect.Effect<Option.Option<VerifiedMailbox>>
    /** Forgets codes that can no longer be used. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/accounts/email-codes/EmailCodes") {
  static readonly layer = Layer.effect(
    EmailCodes,
    Effect.gen(function* () {
      const repo = yield* EmailCodesRepo
      const mails = yield* Mails
      const pepper = yield* Pepper
      const rateLimits = yield* RateLimits
      const secrets = yield* Secrets

      /** Bound to what it opens, so that equal codes of two things have different hashes. */
      const textOf = ({ purpose, subject }: CodeName, code: EmailCode) => `${purpose} ${subject} ${code}`

      return EmailCodes.of({
        issue: Effect.fn("EmailCodes.issue")(function* ({ contentOf, mailbox, purpose, subject }) {
          const issuedAt = yield* now
          const expiresAt = later(issuedAt, EMAIL_CODE_LIFETIME_SECONDS * 1000)
          const code = yield* secrets.emailCode
          yield* repo.put({
            purpose,
            subject,
            mailbox,
            code_hash: yield* pepper.hash(textOf({ purpose, subject }, code)),
            issued_at: issuedAt,
            expires_at: expiresAt
          })
          yield* mails.post({ recipient: mailbox, content: yield* contentOf(code, expiresAt), expiresAt })
          // Last, so that a lost database uses up nothing of a limit. The cooldown goes first: who asks too often
          // must not use up the hour; and a mail that the hour refuses has no cooldown.
          yield* rateLimits.consume("mailbox-cooldown", mailbox)
          yield* Effect.tapError(rateLimits.consume("mailbox-hour", mailbox), () =>
            rateLimits.giveBack("mailbox-cooldown", mailbox)
          )
          return { expiresAt }
        }),

        redeem: Effect.fn("EmailCodes.redeem")(function* (name, code) {
          const at = yield* now
          const found = yield* repo.countTry(name, at)
          if (Option.isNone(found)) return Option.none()
          const { code_hash, is_redeemed, mailbox } = found.value
          if (!(yield* pepper.matches(textOf(name, code), code_hash))) return Option.none()
          if (!is_redeemed) yield* repo.redeem(name, at)
          return Option.some(VerifiedMailbox.make({ purpose: name.purpose, mailbox, isRepeat: is_redeemed }))
        }),

        sweep: Effect.flatMap(now, repo.sweep)
      })
    })
  )
}
