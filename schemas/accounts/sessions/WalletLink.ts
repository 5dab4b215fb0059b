import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { NanoAddress } from "../../platform/Nano.ts"

/** The wallet that can now sign in to the account. */
export const LinkedWallet = Schema.Struct({ walletAddress: NanoAddress }).annotate({
  identifier: "LinkedWallet"
})
export type LinkedWallet = typeof LinkedWallet.Type

/** The wallet belongs to another account. Only a caller who signed with the wallet learns this. */
export class WalletTaken extends ServiceError<WalletTaken>()("WalletTaken") {}

/** The account has another wallet: an account has one wallet for good. */
export class WalletAlreadyLinked extends ServiceError<WalletAlreadyLinked>()("WalletAlreadyLinked") {}
