import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  InvalidChallenge,
  type TokenPair,
  type WalletChallenge,
  type WalletClaim
} from "../../../schemas/accounts/sessions/Session.ts"
import { ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/Problem.ts"
import { ChallengeId, OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"
import { type NanoAddress, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { isUsableKey } from "../../platform/nano/signatures.ts"
import { makeSignatureVerifier } from "../../platform/nano/signatureVerifier.ts"
import { hashOf, Secrets } from "../../platform/secrets/Secrets.ts"
import { later, now, wireTime } from "../../platform/time/now.ts"
import { Owners } from "../owners/Owners.ts"
import { countOpened } from "./metrics.ts"
import { FAMILY_LIFETIME_MILLIS, Sessions } from "./Sessions.ts"
import { WalletChallengesRepo } from "./WalletChallengesRepo.ts"
import { walletMessage } from "./walletMessage.ts"

/** How long a challenge can be claimed. */
const CHALLENGE_LIFETIME_MILLIS = 5 * 60 * 1000

/** Sign-in with the signature of a Nano wallet: no funds, no browser, no transaction (specification 1, 5). */
export class WalletLogin extends Context.Service<
  WalletLogin,
  {
    /** The same answer for accounts that are known and unknown; 422 for one that nobody can hold the key of. */
    readonly challenge: (account: NanoAddress) => Effect.Effect<WalletChallenge, ValidationProblem>
    /** The first valid claim of a wallet creates its owner. Only a valid signature consumes the challenge. */
    readonly claim: (claim: WalletClaim) => Effect.Effect<TokenPair, InvalidChallenge>
    /** Forgets challenges that can no longer be claimed. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/accounts/sessions/WalletLogin") {
  static readonly layer = Layer.effect(
    WalletLogin,
    Effect.gen(function* () {
      const repo = yield* WalletChallengesRepo
      const owners = yield* Owners
      const sessions = yield* Sessions
      const secrets = yield* Secrets
      const random = yield* SecureRandom.SecureRandom
      const verifySignature = yield* makeSignatureVerifier
      const baseUrl = yield* PublicBaseUrl

      const challenge = Effect.fn("WalletLogin.challenge")(function* (account: NanoAddress) {
        const publicKey = publicKeyOfAddress(account)
        if (!isUsableKey(publicKey)) {
          return yield* new ValidationProblem({
            errors: [
              {
                field: "account",
                code: "invalid",
                message: "Nobody can hold the private key of this account"
              }
            ]
          })
        }
        const challengeId = ChallengeId.make(yield* random.uuidV7())
        const issued = yield* now
        const expires = later(issued, CHALLENGE_LIFETIME_MILLIS)
        const issuedAt = wireTime(issued)
        const expiresAt = wireTime(expires)
        const nonce = yield* secrets.hex(16)
        const message = walletMessage({ baseUrl, account, nonce, issuedAt, expiresAt, challengeId })
        yield* repo.insert({
          id: challengeId,
          public_key: hexToBytes(publicKey),
          message,
          issued_at: issued,
          expires_at: expires
        })
        return {
          challengeId,
          account,
          message,
          signatureFormats: ["noms", "blake2b"] as const,
          issuedAt,
          expiresAt
        }
      })

      const claim = Effect.fn("WalletLogin.claim")(function* (claim: WalletClaim) {
        const at = yield* now
        const open = yield* repo.findOpen(claim.challengeId, at)
        if (Option.isNone(open)) return yield* new InvalidChallenge({})
        const isOwn = bytesToHex(open.value.public_key) === publicKeyOfAddress(claim.account)
        const isSigned =
          isOwn &&
          (yield* verifySignature({
            account: claim.account,
            message: open.value.message,
            format: claim.signatureFormat ?? "noms",
            signature: claim.signature
          }))
        if (!isSigned) {
          yield* repo.countFailure(claim.challengeId)
          return yield* new InvalidChallenge({})
        }

        const refreshToken = yield* sessions.newRefreshToken("nano")
        const sessionId = SessionId.make(yield* random.uuidV7())
        const profile = yield* owners.startingProfile
        const ownerId = yield* repo.claim({
          challengeId: claim.challengeId,
          newOwnerId: OwnerId.make(yield* random.uuidV7()),
          newName: profile.name,
          newHandle: profile.handle,
          sessionId,
          sessionExpiresAt: later(at, FAMILY_LIFETIME_MILLIS),
          tokenHash: hashOf(refreshToken),
          at
        })
        if (Option.isNone(ownerId)) return yield* new InvalidChallenge({})
        yield* countOpened("nano")
        return yield* sessions.pairOf({ ownerId: ownerId.value, sessionId, method: "nano" }, refreshToken)
      })

      return WalletLogin.of({ challenge, claim, sweep: Effect.flatMap(now, repo.sweep) })
    })
  )
}
