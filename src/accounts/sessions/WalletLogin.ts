import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  InvalidChallenge,
  RegistrationClosed,
  type TokenPair,
  type WalletChallenge,
  type WalletClaim
} from "../../../schemas/accounts/sessions/Session.ts"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"
import { later, now } from "../../platform/time/now.ts"
import { Owners } from "../owners/Owners.ts"
import { countOpened } from "./metrics.ts"
import { FAMILY_LIFETIME_MILLIS, Sessions } from "./Sessions.ts"
import { walletChallengeStatements } from "./walletChallenges.sql.ts"
import { walletChallenges } from "./walletChallenges.ts"

/** The field error for an account that has no private key. */
export const unusableAccount = {
  field: "account",
  code: "invalid",
  message: "This account has no private key, so it cannot sign anything; send another one"
}

/** Sign-in with the signature of a Nano wallet: no funds, no browser, no transaction (spec 1, 5). */
export class WalletLogin extends Context.Service<
  WalletLogin,
  {
    /** Issues the same answer for known and unknown accounts. Fails for an account without a private key. */
    readonly challenge: (account: NanoAddress) => Effect.Effect<WalletChallenge, Validation>
    /**
     * The first valid claim of a wallet creates its owner. Only a valid signature consumes the challenge. While the site
     * takes no new accounts, the holder of an unknown wallet, and no one else, gets `RegistrationClosed`.
     */
    readonly claim: (claim: WalletClaim) => Effect.Effect<TokenPair, InvalidChallenge | RegistrationClosed>
    /** Deletes challenges that can no longer be claimed. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/accounts/sessions/WalletLogin") {
  static readonly layer = Layer.effect(
    WalletLogin,
    Effect.gen(function* () {
      const rows = yield* walletChallengeStatements
      const owners = yield* Owners
      const sessions = yield* Sessions
      const random = yield* SecureRandom.SecureRandom
      const challenges = yield* walletChallenges
      const { isRegistrationOpen } = yield* Settings

      const challenge = Effect.fn("WalletLogin.challenge")(function* (account: NanoAddress) {
        const challenge = yield* challenges.issue(account, null)
        if (Option.isSome(challenge)) return challenge.value
        return yield* new Validation({ errors: [unusableAccount] })
      })

      const claim = Effect.fn("WalletLogin.claim")(function* (claim: WalletClaim) {
        const at = yield* now
        const open = yield* rows.findOpen(claim.challengeId, at)
        if (Option.isNone(open) || !(yield* challenges.isSigned(claim, open.value))) {
          return yield* new InvalidChallenge()
        }
        if (!isRegistrationOpen && !(yield* rows.hasOwner(open.value.public_key)))
          return yield* new RegistrationClosed()
        const refreshToken = yield* sessions.newRefreshToken("nano")
        const sessionId = SessionId.make(yield* random.uuidV7())
        const profile = yield* owners.startingProfile
        const ownerId = yield* rows.claim({
          challengeId: claim.challengeId,
          newOwnerId: OwnerId.make(yield* random.uuidV7()),
          newName: profile.name,
          newHandle: profile.handle,
          sessionId,
          sessionExpiresAt: later(at, FAMILY_LIFETIME_MILLIS),
          tokenHash: hashOf(refreshToken),
          at
        })
        if (Option.isNone(ownerId)) return yield* new InvalidChallenge()
        yield* countOpened("nano")
        return yield* sessions.pairOf({ ownerId: ownerId.value, sessionId, method: "nano" }, refreshToken)
      })

      return WalletLogin.of({ challenge, claim, sweep: Effect.flatMap(now, rows.sweep) })
    })
  )
}
