import { NanoAddress, publicKeyOfAddress, RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"

/** The money of each account before its first payment. */
export const START_RAW = 1000n * RAW_PER_XNO

/** The hash by which the first payment of an account names the block before it: no account of the load has made that. */
export const frontierOf = (account: string): BlockHash =>
  BlockHash.make(publicKeyOfAddress(NanoAddress.make(account)).toUpperCase())
