import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  type EmailChangeRequested,
  type EmailResent,
  type EmailStatus,
  EmailTaken,
  type EmailVerification,
  type EmailVerifyRequest,
  InvalidEmailCode,
  NoPendingEmail
} from "../../../schemas/accounts/account-email/AccountEmail.ts"
import type { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { Validation } from "../../../schemas/platform/errors/families.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/Problem.ts"
import { EmailChangeId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Mails } from "../../platform/mail/Mails.ts"
import type { RateLimitExceeded } from "../../platform/rate-limits/RateLimits.ts"
import { Settings } from "../../platform/settings/Settings.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { EmailCodes } from "../email-codes/EmailCodes.ts"
import { Owners } from "../owners/Owners.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { type AccountEmailRow, AccountEmailRepo } from "./AccountEmailRepo.ts"
import { ConfirmationTokens } from "./ConfirmationTokens.ts"
import { confirmationUrl, tokenOfUrl } from "./confirmationUrl.ts"

/** A code, and the change that it must be for when it came in a link. */
interface Confirmation {
  readonly code: EmailCode
  readonly changeId: EmailChangeId | undefined
}

/** The e-mail address of an account: status, change, and its confirmation (specification 3.3, 4.1). */
export class AccountEmail extends Context.Service<
  AccountEmail,
  {
    readonly read: (owner: OwnerAuthority) => Effect.Effect<EmailStatus>
    /** Mails a code to the new address, unless it is the one that the account has or waits for. */
    readonly change: (
      owner: OwnerAuthority,
      email: EmailAddress
    ) => Effect.Effect<EmailChangeRequested, RateLimitExceeded>
    /** Mails a new code, which replaces the former one. */
    readonly resend: (owner: OwnerAuthority) => Effect.Effect<EmailResent, NoPendingEmail | RateLimitExceeded>
    /**
     * Makes the pending address the account's. Its owner stays the same, and so does a wallet session; a native e-mail
     * session gets a replacement pair. A repeat with the same code answers alike while the code lives.
     */
    readonly verify: (
      owner: OwnerAuthority,
      request: EmailVerifyRequest
    ) => Effect.Effect<EmailVerification, NoPendingEmail | InvalidEmailCode | EmailTaken | Validation>
    /** The code in a confirmation link, for the page that shows it. */
    readonly codeOf: (token: string) => Effect.Effect<Option.Option<EmailCode>>
  }
>()("pennypress/accounts/account-email/AccountEmail") {
  static readonly layer = Layer.effect(
    AccountEmail,
    Effect.gen(function* () {
      const repo = yield* AccountEmailRepo
      const owners = yield* Owners
      const codes = yield* EmailCodes
      const mails = yield* Mails
      const sessions = yield* Sessions
      const tokens = yield* ConfirmationTokens
      const transactions = yield* Transactions
      const random = yield* SecureRandom.SecureRandom
      const origin = (yield* Settings).identityProviderOrigin ?? (yield* PublicBaseUrl)

      // The lock comes first, by itself: a statement that waited for it would join the change as it was before.
      const lock = (owner: OwnerAuthority) =>
        Effect.andThen(owners.lock(owner.ownerId), repo.find(owner.ownerId))

      const issue = (owner: OwnerAuthority, changeId: EmailChangeId, mailbox: EmailAddress) =>
        codes.issue({
          purpose: "email_change",
          subject: changeId,
          mailbox,
          contentOf: Effect.fnUntraced(function* (code, expiresAt) {
            const { ownerId } = owner
            const token = yield* tokens.make({ ownerId, changeId, code, expiresAt: expiresAt.getTime() })
            return {
              kind: "email_change_code" as const,
              code,
              confirmationUrl: confirmationUrl(origin, token)
            }
          })
        })

      const change = Effect.fn("AccountEmail.change")(
        function* (owner: OwnerAuthority, email: EmailAddress) {
          const account = yield* lock(owner)
          const pendingEmail = pendingOf(account)
          if (email === account.email || email === pendingEmail) {
            return { status: "already_pending" as const, pendingEmail }
          }
          const id = EmailChangeId.make(yield* random.uuidV7())
          yield* repo.putChange({ id, owner_id: owner.ownerId, email, requested_at: yield* now })
          yield* issue(owner, id, email)
          return { status: "confirmation_sent" as const, pendingEmail: email }
        },
        (effect) => transactions.run(effect)
      )

      const resend = Effect.fn("AccountEmail.resend")(
        function* (owner: OwnerAuthority) {
          const account = yield* lock(owner)
          const pendingEmail = pendingOf(account)
          if (pendingEmail === null || account.change_id === null) return yield* new NoPendingEmail()
          yield* issue(owner, account.change_id, pendingEmail)
          return { status: "resent" as const, pendingEmail }
        },
        (effect) => transactions.run(effect)
      )

      /** The code that was sent, alone or in a link, which must be one of ours to this owner. */
      const confirmationOf = Effect.fnUntraced(function* (
        owner: OwnerAuthority,
        { code, confirmationUrl: url }: EmailVerifyRequest
      ): Effect.fn.Return<Confirmation, Validation> {
        if (code !== undefined) return { code, changeId: undefined }
        const text = tokenOfUrl(origin, url ?? "")
        const token = text === undefined ? Option.none() : yield* tokens.open(text)
        if (Option.isNone(token) || token.value.ownerId !== owner.ownerId) return yield* mismatch()
        return token.value
      })

      /** A wrong code is answered without a failure, which would take the count of its try back. */
      const confirmed = Effect.fnUntraced(
        function* (
          owner: OwnerAuthority,
          { changeId, code }: Confirmation
        ): Effect.fn.Return<EmailVerification | "no-pending" | "invalid-code", EmailTaken | Validation> {
          const account = yield* lock(owner)
          if (account.change_id === null || account.change_email === null) return "no-pending"
          if (changeId !== undefined && changeId !== account.change_id) return yield* mismatch()
          const proof = yield* codes.redeem({ purpose: "email_change", subject: account.change_id }, code)
          if (Option.isNone(proof)) return account.is_confirmed ? "no-pending" : "invalid-code"
          const at = yield* now
          if (!account.is_confirmed) {
            yield* repo.confirm(owner.ownerId, at)
            if (!(yield* owners.setEmail(owner.ownerId, account.change_email, at)))
              return yield* new EmailTaken()
            if (account.email !== null) {
              const content = { kind: "email_changed" as const }
              yield* mails.post({ recipient: account.email, content, expiresAt: later(at, DAY_MILLIS) })
            }
          }
          const session = owner.method === "email" ? yield* sessions.replace(owner) : Option.none()
          return {
            status: "verified",
            email: account.change_email,
            ...(Option.isSome(session) ? { session: session.value } : {})
          }
        },
        (effect) => transactions.run(effect)
      )

      return AccountEmail.of({
        read: Effect.fn("AccountEmail.read")(function* (owner) {
          const account = yield* repo.find(owner.ownerId)
          const pendingEmail = pendingOf(account)
          return {
            email: account.email,
            emailVerified: account.email !== null,
            pendingEmail,
            status: pendingEmail === null ? "none" : "confirmation_sent"
          }
        }),
        change,
        resend,
        verify: Effect.fn("AccountEmail.verify")(function* (owner, request) {
          const outcome = yield* confirmed(owner, yield* confirmationOf(owner, request))
          if (outcome === "no-pending") return yield* new NoPendingEmail()
          if (outcome === "invalid-code") return yield* new InvalidEmailCode()
          return outcome
        }),
        codeOf: Effect.fn("AccountEmail.codeOf")((token) =>
          Effect.map(
            tokens.open(token),
            Option.map(({ code }) => code)
          )
        )
      })
    })
  )
}

const pendingOf = ({ change_email, is_confirmed }: AccountEmailRow) => (is_confirmed ? null : change_email)

const mismatch = () =>
  new Validation({
    data: {
      code: "validation",
      errors: [
        {
          field: "confirmationUrl",
          code: "mismatch",
          message: "Send the whole link of your newest mail within ten minutes of it, or ask for another mail"
        }
      ]
    }
  })
