import type { ChallengeId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"

/**
 * What a wallet signs: CAIP-122 in the shape of EIP-4361, lines joined by LF and no newline at the end.
 * The wallet shows it to a person, so it says who asks, for what, and that nothing is spent.
 */
export const walletMessage = (challenge: {
  readonly baseUrl: string
  readonly account: string
  readonly nonce: string
  readonly issuedAt: Timestamp
  readonly expiresAt: Timestamp
  readonly challengeId: ChallengeId
}): string =>
  [
    `${new URL(challenge.baseUrl).host} wants you to sign in with your Nano account:`,
    challenge.account,
    "",
    "Sign in to Pennypress. This sends no transaction and costs nothing.",
    "",
    `URI: ${challenge.baseUrl}/api/v1/auth/nano/claim`,
    "Version: 1",
    "Chain ID: nano:mainnet",
    `Nonce: ${challenge.nonce}`,
    `Issued At: ${challenge.issuedAt}`,
    `Expiration Time: ${challenge.expiresAt}`,
    `Request ID: ${challenge.challengeId}`
  ].join("\n")
