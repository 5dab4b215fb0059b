import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { WalletChallenge, WalletClaim } from "../../../schemas/accounts/sessions/Session.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { ChallengeId } from "../../../schemas/platform/Ids.ts"
import { type NanoAddress, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { isUsableKey } from "../../platform/nano/signatures.ts"
import { makeSignatureVerifier } from "../../platform/nano/signatureVerifier.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { later, now, wireTime } from "../../platform/time/now.ts"
import { type ChallengeRow, walletChallengeStatements } from "./walletChallenges.sql.ts"
import { type OwnAct, walletMessage } from "./walletMessage.ts"

/** Lifetime of a challenge. */
const CHALLENGE_LIFETIME_MILLIS = 5 * 60 * 1000

/** Issues challenges of wallets and checks their signatures: to sign in, to link a wallet to an account, or to delete an account. */
export const walletChallenges = Effect.gen(function* () {
  const rows = yield* walletChallengeStatements
  const secrets = yield* Secrets
  const random = yield* SecureRandom.SecureRandom
  const verifySignature = yield* makeSignatureVerifier
  const baseUrl = yield* PublicBaseUrl
  const { siteName } = yield* Settings

  return {
    /**
     * Issues a challenge, to sign in or for an act of an owner. Returns none for an account without a private key. Known and
     * unknown wallets get the same answer.
     */
    issue: Effect.fn("walletChallenges.issue")(function* (account: NanoAddress, own: OwnAct | null) {
      const publicKey = publicKeyOfAddress(account)
      if (!isUsableKey(publicKey)) return Option.none<WalletChallenge>()
      const challengeId = ChallengeId.make(yield* random.uuidV7())
      const issued = yield* now
      const expires = later(issued, CHALLENGE_LIFETIME_MILLIS)
      const issuedAt = wireTime(issued)
      const expiresAt = wireTime(expires)
      const nonce = yield* secrets.hex(16)
      const message = walletMessage({
        baseUrl,
        siteName,
        account,
        own,
        nonce,
        issuedAt,
        expiresAt,
        challengeId
      })
      yield* rows.insert({
        id: challengeId,
        public_key: hexToBytes(publicKey),
        purpose: own === null ? "sign_in" : own.act,
        owner_id: own === null ? null : own.ownerId,
        message,
        issued_at: issued,
        expires_at: expires
      })
      const signatureFormats = ["noms", "blake2b"] as const
      return Option.some<WalletChallenge>({
        challengeId,
        account,
        message,
        signatureFormats,
        issuedAt,
        expiresAt
      })
    }),

    /** Returns true when the account of a claim signed the stored message; counts a failure otherwise. */
    isSigned: Effect.fn("walletChallenges.isSigned")(function* (claim: WalletClaim, challenge: ChallengeRow) {
      const isOwn = bytesToHex(challenge.public_key) === publicKeyOfAddress(claim.account)
      const isSigned =
        isOwn &&
        (yield* verifySignature({
          account: claim.account,
          message: challenge.message,
          format: claim.signatureFormat ?? "noms",
          signature: claim.signature
        }))
      if (!isSigned) yield* rows.countFailure(claim.challengeId)
      return isSigned
    })
  }
})
