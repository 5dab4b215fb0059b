import { Context, Effect, Layer, Option } from "effect"
import { type DeletionRequest, InvalidConfirmation } from "../../../schemas/accounts/deletion/Deletion.ts"
import type { WalletChallenge } from "../../../schemas/accounts/sessions/Session.ts"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey, type NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import type { RateLimitExceeded } from "../../platform/rate-limits/RateLimits.ts"
import { now } from "../../platform/time/now.ts"
import { deletionCodeLetters } from "../email-codes/codeLetters.ts"
import { EmailCodes } from "../email-codes/EmailCodes.ts"
import { ownChallenges } from "../sessions/walletChallenges.sql.ts"
import { walletChallenges } from "../sessions/walletChallenges.ts"

/** The means by which an owner confirms a deletion: a text for their wallet, or a code in their mailbox. */
export type DeletionChallenge =
  | { readonly kind: "signature"; readonly challenge: WalletChallenge }
  | { readonly kind: "code"; readonly expiresAt: Date }

/** The account whose deletion is confirmed. */
interface ConfirmingAccount {
  readonly id: OwnerId
  readonly kind: "wallet" | "email" | "guest"
  readonly handle: string
  readonly email: EmailAddress | null
  readonly wallet: NanoPublicKey | null
}

/** Returns how the owner of an account confirms its deletion: in the way in which the account was created. */
export const confirmationOf = ({ kind }: Pick<ConfirmingAccount, "kind">): "signature" | "code" =>
  kind === "wallet" ? "signature" : "code"

/**
 * Confirms that the owner of an account deletes it. A wallet confirms the deletion of the account that it created, and a mailbox
 * that of an account by e-mail. The challenge of a sign-in or of a link confirms nothing here, and this one opens no session.
 */
export class DeletionConfirmations extends Context.Service<
  DeletionConfirmations,
  {
    /** Makes a challenge for an account that is held. `client` names the caller, such as its network. */
    readonly challenge: (
      account: ConfirmingAccount,
      client: string
    ) => Effect.Effect<DeletionChallenge, RateLimitExceeded>
    /**
     * Spends the confirmation of a request, for an account that is held. A wrong one counts as a try, so the surrounding
     * transaction commits although it fails.
     */
    readonly confirm: (
      account: ConfirmingAccount,
      request: DeletionRequest
    ) => Effect.Effect<void, InvalidConfirmation | Validation>
  }
>()("pennypress/accounts/deletion/DeletionConfirmations") {
  static readonly layer = Layer.effect(
    DeletionConfirmations,
    Effect.gen(function* () {
      const rows = yield* ownChallenges
      const wallets = yield* walletChallenges
      const codes = yield* EmailCodes
      const { siteName } = yield* Settings

      const nameOf = ({ id }: ConfirmingAccount) => ({ purpose: "account_deletion" as const, subject: id })

      const signed = Effect.fnUntraced(function* (
        { id, wallet }: ConfirmingAccount,
        { challengeId, signature, signatureFormat }: DeletionRequest
      ) {
        if (challengeId === undefined || signature === undefined)
          return yield* missing([
            ...(challengeId === undefined ? (["challengeId"] as const) : []),
            ...(signature === undefined ? (["signature"] as const) : [])
          ])
        const at = yield* now
        const challenge = yield* rows.findOwn("deletion", challengeId, id, at)
        if (Option.isNone(challenge) || wallet === null) return false
        const claim = {
          challengeId,
          signature,
          account: addressOfPublicKey(wallet),
          ...(signatureFormat === undefined ? {} : { signatureFormat })
        }
        return (yield* wallets.isSigned(claim, challenge.value)) && (yield* rows.consume(challengeId, at))
      })

      const mailed = Effect.fnUntraced(function* (account: ConfirmingAccount, { code }: DeletionRequest) {
        if (code === undefined) return yield* missing(["code"])
        const proof = yield* codes.redeem(nameOf(account), code)
        return Option.exists(proof, ({ isRepeat }) => !isRepeat)
      })

      return DeletionConfirmations.of({
        challenge: Effect.fn("DeletionConfirmations.challenge")(function* (account, client) {
          const { email, handle, id: ownerId, wallet } = account
          if (wallet !== null && confirmationOf(account) === "signature") {
            const issued = yield* wallets.issue(addressOfPublicKey(wallet), {
              act: "deletion",
              ownerId,
              handle
            })
            // The wallet signed before, so it has a private key.
            if (Option.isNone(issued))
              return yield* Effect.die(new Error("A wallet that signed in cannot sign"))
            return { kind: "signature", challenge: issued.value } as const
          }
          if (email === null)
            return yield* Effect.die(new Error("The account has neither a wallet nor an address"))
          const { expiresAt } = yield* codes.issue({
            ...nameOf(account),
            recipient: email,
            client,
            budget: { limit: "mailbox-hour", asker: ownerId },
            lettersOf: (code) => Effect.succeed(deletionCodeLetters(code, handle, siteName))
          })
          return { kind: "code", expiresAt } as const
        }),

        confirm: Effect.fn("DeletionConfirmations.confirm")(function* (account, request) {
          const isNamed =
            request.handle.trim().replace(/^@/, "").toLowerCase() === account.handle.toLowerCase()
          // A slip in the handle spends no confirmation.
          if (!isNamed) return yield* new InvalidConfirmation()
          const isConfirmed = confirmationOf(account) === "signature" ? signed : mailed
          if (!(yield* isConfirmed(account, request))) return yield* new InvalidConfirmation()
        })
      })
    })
  )
}

const missing = (fields: ReadonlyArray<string>) =>
  new Validation({
    errors: fields.map((field) => ({
      field,
      code: "required",
      message: "This account needs it to confirm its deletion"
    }))
  })
