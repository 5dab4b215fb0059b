import { Redacted } from "effect"
import { addressOfPublicKey, type NanoAddress } from "../../../schemas/platform/Nano.ts"
import { privateKeyOfSeed, publicKeyOf } from "../../../src/platform/nano/keys.ts"

const seed = Redacted.make(new Uint8Array(32).fill(5))

const addressAt = (index: number): NanoAddress =>
  addressOfPublicKey(publicKeyOf(privateKeyOfSeed(seed, index)))

/** Twenty accounts of one wallet. */
export const usableAddresses: readonly [NanoAddress, NanoAddress, ...Array<NanoAddress>] = [
  addressAt(0),
  addressAt(1),
  ...Array.from({ length: 18 }, (_, index) => addressAt(index + 2))
]
