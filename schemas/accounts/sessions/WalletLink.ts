import { Schema } from "effect"
import { JsonError } from "../../platform/errors/JsonError.ts"
import { NanoAddress } from "../../platform/Nano.ts"

/** The wallet that signs in to the account from now on. */
export const LinkedWallet = Schema.Struct({ walletAddress: NanoAddress }).annotate({
  identifier: "LinkedWallet"
})
export type LinkedWallet = typeof LinkedWallet.Type

/**
 * 422, where a login has 401: the caller's session is good, and a client that took the answer for a lost session would
 * spend its tries on refreshed tokens.
 */
export class InvalidLinkChallenge extends JsonError<InvalidLinkChallenge>()("InvalidLinkChallenge", {
  code: "invalid_challenge",
  status: 422,
  message:
    "The challenge is unknown, expired, used or another account's, or the wallet did not sign its message; ask for a new one with POST /api/v1/account/wallet/challenge"
}) {}

/** 409: the wallet has an account of its own. Only a caller who signed with the wallet learns this. */
export class WalletTaken extends JsonError<WalletTaken>()("WalletTaken", {
  code: "wallet_taken",
  status: 409,
  message: "This wallet signs in to another account; sign in with it there, or link another wallet"
}) {}

/** 409: an account has one wallet for good. */
export class WalletAlreadyLinked extends JsonError<WalletAlreadyLinked>()("WalletAlreadyLinked", {
  code: "wallet_already_linked",
  status: 409,
  message: "The account has another wallet, which stays; sign in with that wallet"
}) {}
