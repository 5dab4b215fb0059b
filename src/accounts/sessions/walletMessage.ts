import type { ChallengeId, OwnerId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"

const signInTo = (siteName: string) => `Sign in to ${siteName}. This sends no transaction and costs nothing.`

const linkTo = (siteName: string, owner: OwnerId) =>
  `Link this wallet to the ${siteName} account ${owner}, which it then signs in to. This sends no transaction and costs nothing.`

const deletionOf = (siteName: string, handle: string) =>
  `Delete the account @${handle} and everything in it, on ${siteName}. This sends no transaction and costs nothing.`

/** An act of an owner that the signature of a wallet confirms. */
export type OwnAct =
  | { readonly act: "link"; readonly ownerId: OwnerId }
  | { readonly act: "deletion"; readonly ownerId: OwnerId; readonly handle: string }

const statementOf = (siteName: string, own: OwnAct | null) => {
  if (own === null) return signInTo(siteName)
  return own.act === "link" ? linkTo(siteName, own.ownerId) : deletionOf(siteName, own.handle)
}

/** The path that takes the signature. */
const pathOf = (own: OwnAct | null) => {
  if (own === null) return "auth/nano/claim"
  return own.act === "link" ? "account/wallet" : "account/deletion"
}

/**
 * Returns the message that a wallet signs: CAIP-122 in the shape of EIP-4361, lines joined by LF and no newline at the
 * end. The wallet shows it to a person, so it names the asker and the purpose, and says that nothing is spent. With an
 * act of an owner it opens no session.
 */
export const walletMessage = (challenge: {
  readonly baseUrl: string
  readonly siteName: string
  readonly account: string
  readonly own: OwnAct | null
  readonly nonce: string
  readonly issuedAt: Timestamp
  readonly expiresAt: Timestamp
  readonly challengeId: ChallengeId
}): string =>
  [
    `${new URL(challenge.baseUrl).host} wants you to sign in with your Nano account:`,
    challenge.account,
    "",
    statementOf(challenge.siteName, challenge.own),
    "",
    `URI: ${challenge.baseUrl}/api/v1/${pathOf(challenge.own)}`,
    "Version: 1",
    "Chain ID: nano:mainnet",
    `Nonce: ${challenge.nonce}`,
    `Issued At: ${challenge.issuedAt}`,
    `Expiration Time: ${challenge.expiresAt}`,
    `Request ID: ${challenge.challengeId}`
  ].join("\n")
