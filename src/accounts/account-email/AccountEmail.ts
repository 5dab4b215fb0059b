import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  type EmailChangeRequested,
  type EmailResent,
  type EmailStatus,
  EmailTaken,
  type EmailVerification,
  type EmailVerifyRequest,
  NoPendingEmail
} from "../../../schemas/accounts/account-email/AccountEmail.ts"
import type { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { InvalidCode, type TokenPair } from "../../../schemas/accounts/sessions/Session.ts"
import { type EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import type { Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { EmailChangeId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Mails } from "../../platform/mail/Mails.ts"
import { ACCESS_TOKEN_SECONDS } from "../../platform/ports/AccessTokens.ts"
import { Sealer } from "../../platform/ports/Sealer.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import type { RateLimitExceeded } from "../../platform/rate-limits/RateLimits.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { emailChangedLetters, emailChangeLetters } from "../email-codes/codeLetters.ts"
import { EmailCodes } from "../email-codes/EmailCodes.ts"
import { Owners } from "../owners/Owners.ts"
import { Sessions } from "../sessions/Sessions.ts"
import {
  confirmationTokens,
  confirmationUrl,
  expiredLink,
  mismatchedLink,
  tokenOfUrl
} from "./confirmationLinks.ts"
import { type AccountEmailRow, emailChangeStatements } from "./emailChanges.sql.ts"

/** A code, and the change that it must belong to if it came in a link. */
interface Proof {
  readonly code: EmailCode
  readonly link: { readonly changeId: EmailChangeId; readonly isExpired: boolean } | undefined
}

const codeName = (changeId: EmailChangeId) => ({ purpose: "email_change", subject: changeId }) as const

const isMailbox = (address: EmailAddress | null, other: EmailAddress) =>
  address !== null && mailboxOf(address) === mailboxOf(other)

/** The e-mail address of an account: status, change, and its confirmation (spec 3.3, 4.1). */
export class AccountEmail extends Context.Service<
  AccountEmail,
  {
    readonly read: (owner: OwnerAuthority) => Effect.Effect<EmailStatus>
    /**
     * Mails a code to the new address, which replaces a pending one. The pending address again changes nothing. The
     * account's own address withdraws a pending change. `client` names the caller, such as its network.
     */
    readonly change: (
      owner: OwnerAuthority,
      email: EmailAddress,
      client: string
    ) => Effect.Effect<EmailChangeRequested, RateLimitExceeded>
    /** Mails a new code, which replaces the earlier one. */
    readonly resend: (
      owner: OwnerAuthority,
      client: string
    ) => Effect.Effect<EmailResent, NoPendingEmail | RateLimitExceeded>
    /**
     * Makes the pending address the account's address. A wallet session stays unchanged; a native e-mail session gets a
     * replacement pair. While the account has the address, a repeat of the proof gets the same answer and uses up no
     * try. It gets the same pair while that pair is current.
     */
    readonly verify: (
      owner: OwnerAuthority,
      request: EmailVerifyRequest
    ) => Effect.Effect<EmailVerification, NoPendingEmail | InvalidCode | EmailTaken | Validation>
    /** Returns the code in a confirmation link, for the page that shows it. */
    readonly codeOf: (token: string) => Effect.Effect<Option.Option<EmailCode>>
    /** Deletes the pairs that repeats can no longer get. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/accounts/account-email/AccountEmail") {
  static readonly layer = Layer.effect(
    AccountEmail,
    Effect.gen(function* () {
      const changes = yield* emailChangeStatements
      const owners = yield* Owners
      const codes = yield* EmailCodes
      const mails = yield* Mails
      const sealer = yield* Sealer
      const sessions = yield* Sessions
      const tokens = yield* confirmationTokens
      const transactions = yield* Transactions
      const random = yield* SecureRandom.SecureRandom
      const { identityProviderOrigin, siteName } = yield* Settings
      const origin = identityProviderOrigin ?? (yield* PublicBaseUrl)

      // The lock comes first, by itself: a statement that waited for it would join the change as it was before.
      const lock = ({ ownerId }: OwnerAuthority) =>
        Effect.andThen(owners.lock(ownerId), changes.find(ownerId))

      const issue = (
        { ownerId }: OwnerAuthority,
        changeId: EmailChangeId,
        recipient: EmailAddress,
        client: string
      ) =>
        codes.issue({
          ...codeName(changeId),
          recipient,
          client,
          budget: { limit: "mailbox-hour", asker: ownerId },
          lettersOf: Effect.fnUntraced(function* (code, expiresAt) {
            const token = yield* tokens.make({ ownerId, changeId, code, expiresAt: expiresAt.getTime() })
            return emailChangeLetters(code, confirmationUrl(origin, token), siteName)
          })
        })

      const change = Effect.fn("AccountEmail.change")(
        function* (owner: OwnerAuthority, email: EmailAddress, client: string) {
          const { email: current, pending_email } = yield* lock(owner)
          if (isMailbox(pending_email, email)) {
            return { status: "already_pending" as const, pendingEmail: pending_email }
          }
          if (isMailbox(current, email)) {
            if (pending_email !== null) yield* changes.withdraw(owner.ownerId)
            return { status: "already_pending" as const, pendingEmail: null }
          }
          const id = EmailChangeId.make(yield* random.uuidV7())
          yield* changes.put({ id, owner_id: owner.ownerId, email, requested_at: yield* now })
          yield* issue(owner, id, email, client)
          return { status: "confirmation_sent" as const, pendingEmail: email }
        },
        (effect) => transactions.run(effect)
      )

      const resend = Effect.fn("AccountEmail.resend")(
        function* (owner: OwnerAuthority, client: string) {
          const { pending_email, pending_id } = yield* lock(owner)
          if (pending_email === null || pending_id === null) return yield* new NoPendingEmail()
          yield* issue(owner, pending_id, pending_email, client)
          return { status: "resent" as const, pendingEmail: pending_email }
        },
        (effect) => transactions.run(effect)
      )

      /** Reads the code of a request, alone or in a link that this service made for this owner. */
      const proofOf = Effect.fnUntraced(function* (
        owner: OwnerAuthority,
        { code, confirmationUrl: url }: EmailVerifyRequest
      ): Effect.fn.Return<Proof, Validation> {
        if (code !== undefined) return { code, link: undefined }
        const text = tokenOfUrl(origin, url ?? "")
        const token = text === undefined ? Option.none() : yield* tokens.open(text)
        if (Option.isNone(token) || token.value.ownerId !== owner.ownerId) return yield* mismatchedLink()
        const { changeId, expiresAt } = token.value
        return { code: token.value.code, link: { changeId, isExpired: expiresAt <= (yield* now).getTime() } }
      })

      const isRepeat = ({ confirmed_code_hash, confirmed_id }: AccountEmailRow, { code, link }: Proof) =>
        confirmed_id === null || confirmed_code_hash === null
          ? Effect.succeed(false)
          : link !== undefined && link.changeId !== confirmed_id
            ? Effect.succeed(false)
            : codes.isCode(codeName(confirmed_id), code, confirmed_code_hash)

      /** Returns the pair that this session got for its confirmation, while that pair is current. */
      const samePair = Effect.fnUntraced(function* (owner: OwnerAuthority, row: AccountEmailRow) {
        if (row.sealed_pair === null || row.confirmed_session_id !== owner.sessionId) return undefined
        const json = yield* sealer.open(row.sealed_pair)
        const pair = Option.map(json, (text) => JSON.parse(text) as TokenPair)
        return Option.isSome(pair) && (yield* sessions.isCurrent(pair.value)) ? pair.value : undefined
      })

      const verified = (email: EmailAddress, session: TokenPair | undefined): EmailVerification => ({
        status: "verified",
        email,
        ...(session === undefined ? {} : { session })
      })

      const verify = Effect.fn("AccountEmail.verify")(
        function* (
          owner: OwnerAuthority,
          request: EmailVerifyRequest
        ): Effect.fn.Return<EmailVerification, NoPendingEmail | InvalidCode | EmailTaken | Validation> {
          const proof = yield* proofOf(owner, request)
          const account = yield* lock(owner)
          if (account.email !== null && (yield* isRepeat(account, proof))) {
            return verified(account.email, yield* samePair(owner, account))
          }
          if (proof.link?.isExpired === true) return yield* expiredLink()
          const { email: former, pending_email: email, pending_id: id } = account
          if (id === null || email === null) return yield* new NoPendingEmail()
          if (proof.link !== undefined && proof.link.changeId !== id) return yield* mismatchedLink()
          const redeemed = yield* codes.redeem(codeName(id), proof.code)
          if (Option.isNone(redeemed)) return yield* new InvalidCode()

          const at = yield* now
          if (!(yield* owners.setEmail(owner.ownerId, email, at))) return yield* new EmailTaken()
          const replaced = owner.method === "email" ? yield* sessions.replace(owner) : Option.none()
          const session = Option.getOrUndefined(replaced)
          yield* changes.confirm({
            owner_id: owner.ownerId,
            change_id: id,
            code_hash: yield* codes.hashOf(codeName(id), proof.code),
            confirmed_at: at,
            session_id: session === undefined ? null : owner.sessionId,
            sealed_pair: session === undefined ? null : yield* sealer.seal(JSON.stringify(session))
          })
          if (former !== null) {
            const letters = emailChangedLetters(siteName)
            yield* mails.post({ recipient: former, letters, expiresAt: later(at, DAY_MILLIS) })
          }
          return verified(email, session)
        },
        // A wrong try counts, although the request fails.
        (effect) => transactions.runKeeping(effect)
      )

      return AccountEmail.of({
        read: Effect.fn("AccountEmail.read")(function* (owner) {
          const { email, pending_email: pendingEmail } = yield* changes.find(owner.ownerId)
          return {
            email,
            emailVerified: email !== null,
            pendingEmail,
            status: pendingEmail === null ? "none" : "confirmation_sent"
          }
        }),
        change,
        resend,
        verify,
        codeOf: Effect.fn("AccountEmail.codeOf")(function* (text) {
          const at = (yield* now).getTime()
          const token = Option.filter(yield* tokens.open(text), ({ expiresAt }) => expiresAt > at)
          return Option.map(token, ({ code }) => code)
        }),
        // A repeat needs an access token from before the confirmation, or from the new pair.
        sweep: Effect.flatMap(now, (at) => changes.sweepPairs(later(at, -ACCESS_TOKEN_SECONDS * 1000)))
      })
    })
  )
}
