import { ed25519 } from "@noble/curves/ed25519.js"
import { blake2b } from "@noble/hashes/blake2.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { addressOfPublicKey, NanoPublicKey } from "../../schemas/platform/Nano.ts"
import { messageDigest } from "../../src/platform/nano/messages.ts"

const { BASE, Fn } = ed25519.Point

const littleEndian = (bytes: Uint8Array) => BigInt(`0x${bytesToHex(bytes.toReversed())}`)

// The same nonce under every signature gives the keys away, and makes a signature as cheap as a hash. Verifying it costs as
// much as any other.
const NONCE = 0x6e6f6e6365n
const commitment = BASE.multiply(NONCE).toBytes()

/** A wallet for a load. Its signatures are valid and cheap, and its key is public. */
export const walletOf = (number: number) => {
  const scalar = Fn.create(littleEndian(blake2b(utf8ToBytes(`wallet ${number}`))))
  const publicKey = BASE.multiply(scalar).toBytes()
  const signDigest = (digest: Uint8Array): string => {
    const challenge = blake2b(concatBytes(commitment, publicKey, digest))
    return bytesToHex(
      concatBytes(commitment, Fn.toBytes(Fn.create(NONCE + littleEndian(challenge) * scalar)))
    )
  }
  return {
    account: addressOfPublicKey(NanoPublicKey.make(bytesToHex(publicKey))),
    sign: (message: string) => signDigest(messageDigest("noms", message)),
    signDigest
  }
}

/** Makes wallets, the same in every run. */
export const walletsOf = (count: number) => {
  const wallets = Array.from({ length: count }, (_, number) => walletOf(number))
  return (number: number) => wallets[number % count]!
}
