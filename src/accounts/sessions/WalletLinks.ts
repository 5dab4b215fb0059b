import { hexToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer, Option } from "effect"
import {
  InvalidChallenge,
  type WalletChallenge,
  type WalletClaim
} from "../../../schemas/accounts/sessions/Session.ts"
import {
  type LinkedWallet,
  WalletAlreadyLinked,
  WalletTaken
} from "../../../schemas/accounts/sessions/WalletLink.ts"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { type NanoAddress, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { Owners } from "../owners/Owners.ts"
import { walletChallengeStatements } from "./walletChallenges.sql.ts"
import { walletChallenges } from "./walletChallenges.ts"
import { unusableAccount } from "./WalletLogin.ts"

/** Links Nano wallets to accounts that were created by e-mail, so that one person has one account (spec 5.6). */
export class WalletLinks extends Context.Service<
  WalletLinks,
  {
    /** Issues a challenge for this owner alone. Fails for a wallet without a private key. */
    readonly challenge: (
      owner: OwnerAuthority,
      account: NanoAddress
    ) => Effect.Effect<WalletChallenge, Validation>
    /**
     * Links the wallet that signed, which can then sign in to this account. Repeating a link succeeds. An account has
     * one wallet for good, and a wallet has one account.
     */
    readonly link: (
      owner: OwnerAuthority,
      claim: WalletClaim
    ) => Effect.Effect<LinkedWallet, InvalidChallenge | WalletTaken | WalletAlreadyLinked>
  }
>()("pennypress/accounts/sessions/WalletLinks") {
  static readonly layer = Layer.effect(
    WalletLinks,
    Effect.gen(function* () {
      const rows = yield* walletChallengeStatements
      const owners = yield* Owners
      const transactions = yield* Transactions
      const challenges = yield* walletChallenges

      /** The lock makes links to one account take turns, so that a concurrent repeat sees the wallet. */
      const linkSigned = Effect.fnUntraced(
        function* (
          { ownerId }: OwnerAuthority,
          { account, challengeId }: WalletClaim
        ): Effect.fn.Return<LinkedWallet, InvalidChallenge | WalletTaken | WalletAlreadyLinked> {
          const publicKey = publicKeyOfAddress(account)
          yield* owners.lock(ownerId)
          const wallet = yield* owners.walletOf(ownerId)
          if (wallet === null) {
            if (!(yield* rows.consume(challengeId, yield* now))) return yield* new InvalidChallenge()
            if (!(yield* owners.linkWallet(ownerId, hexToBytes(publicKey)))) return yield* new WalletTaken()
          } else if (wallet !== publicKey) {
            return yield* new WalletAlreadyLinked()
          }
          return { walletAddress: account }
        },
        (effect) => transactions.run(effect)
      )

      return WalletLinks.of({
        challenge: Effect.fn("WalletLinks.challenge")(function* ({ ownerId }, account) {
          const challenge = yield* challenges.issue(account, { act: "link", ownerId })
          if (Option.isSome(challenge)) return challenge.value
          return yield* new Validation({ errors: [unusableAccount] })
        }),

        link: Effect.fn("WalletLinks.link")(function* (owner, claim) {
          const challenge = yield* rows.findOwn("link", claim.challengeId, owner.ownerId, yield* now)
          if (Option.isNone(challenge) || !(yield* challenges.isSigned(claim, challenge.value))) {
            return yield* new InvalidChallenge()
          }
          return yield* linkSigned(owner, claim)
        })
      })
    })
  )
}
