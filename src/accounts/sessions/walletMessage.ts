import type { ChallengeId, OwnerId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"

const SIGN_IN = "Sign in to Pennypress. This sends no transaction and costs nothing."

const linkTo = (owner: OwnerId) =>
  `Link this wallet to the Pennypress account ${owner}, which it then signs in to. This sends no transaction and costs nothing.`

/**
 * Returns the message that a wallet signs: CAIP-122 in the shape of EIP-4361, lines joined by LF and no newline at the
 * end. The wallet shows it to a person, so it names the asker and the purpose, and says that nothing is spent. With an
 * owner the message links the wallet to their account, and opens no session.
 */
export const walletMessage = (challenge: {
  readonly baseUrl: string
  readonly account: string
  readonly owner: OwnerId | null
  readonly nonce: string
  readonly issuedAt: Timestamp
  readonly expiresAt: Timestamp
  readonly challengeId: ChallengeId
}): string =>
  [
    `${new URL(challenge.baseUrl).host} wants you to sign in with your Nano account:`,
    challenge.account,
    "",
    challenge.owner === null ? SIGN_IN : linkTo(challenge.owner),
    "",
    `URI: ${challenge.baseUrl}/api/v1/${challenge.owner === null ? "auth/nano/claim" : "account/wallet"}`,
    "Version: 1",
    "Chain ID: nano:mainnet",
    `Nonce: ${challenge.nonce}`,
    `Issued At: ${challenge.issuedAt}`,
    `Expiration Time: ${challenge.expiresAt}`,
    `Request ID: ${challenge.challengeId}`
  ].join("\n")
