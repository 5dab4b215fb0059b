import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { NanoAddress } from "../../platform/Nano.ts"

/** The wallet that signs in to the account from now on. */
export const LinkedWallet = Schema.Struct({ walletAddress: NanoAddress }).annotate({
  identifier: "LinkedWallet"
})
export type LinkedWallet = typeof LinkedWallet.Type

/** The wallet has an account of its own. Only a caller who signed with the wallet learns this. */
export class WalletTaken extends ServiceError<WalletTaken>()("WalletTaken") {}

/** The account has another wallet: an account has one wallet for good. */
export class WalletAlreadyLinked extends ServiceError<WalletAlreadyLinked>()("WalletAlreadyLinked") {}
