import { Redacted, Result } from "effect"
import { Hex } from "effect/encoding"
import { addressOfPublicKey, type NanoAddress, NanoSignature } from "../../../../schemas/platform/Nano.ts"
import { privateKeyOfSeed, publicKeyOf } from "../../../platform/nano/keys.ts"
import { nomsDigest } from "../../../platform/nano/messages.ts"
import { type NanoPrivateKey, sign } from "../../../platform/nano/signatures.ts"

/** A wallet of this directory: the first account of its seed. */
export interface LocalWallet {
  readonly account: NanoAddress
  readonly privateKey: NanoPrivateKey
}

/** Returns the wallet of a seed of 64 hexadecimal digits. */
export const walletOf = (seed: Redacted.Redacted): LocalWallet => {
  const bytes = Redacted.make(Result.getOrThrow(Hex.decode(Redacted.value(seed))))
  const privateKey = privateKeyOfSeed(bytes, 0)
  return { privateKey, account: addressOfPublicKey(publicKeyOf(privateKey)) }
}

/** Signs the message of a challenge. No block is signed, so that no money moves. */
export const signMessage = ({ privateKey }: LocalWallet, message: string): NanoSignature =>
  NanoSignature.make(Hex.encode(sign(privateKey, nomsDigest(message))))
