import type { ChallengeId, OwnerId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"

const signInTo = (siteName: string) => `Sign in to ${siteName}. This sends no transaction and costs nothing.`

const linkTo = (siteName: string, owner: OwnerId) =>
  `Link this wallet to the ${siteName} account ${owner}, which it then signs in to. This sends no transaction and costs nothing.`

/**
 * Returns the message that a wallet signs: CAIP-122 in the shape of EIP-4361, lines joined by LF and no newline at the
 * end. The wallet shows it to a person, so it names the asker and the purpose, and says that nothing is spent. With an
 * owner the message links the wallet to their account, and opens no session.
 */
export const walletMessage = (challenge: {
  readonly baseUrl: string
  readonly siteName: string
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
    challenge.owner === null ? signInTo(challenge.siteName) : linkTo(challenge.siteName, challenge.owner),
    "",
    `URI: ${challenge.baseUrl}/api/v1/${challenge.owner === null ? "auth/nano/claim" : "account/wallet"}`,
    "Version: 1",
    "Chain ID: nano:mainnet",
    `Nonce: ${challenge.nonce}`,
    `Issued At: ${challenge.issuedAt}`,
    `Expiration Time: ${challenge.expiresAt}`,
    `Request ID: ${challenge.challengeId}`
  ].join("\n")
