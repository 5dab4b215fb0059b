import { eddsa } from "@noble/curves/abstract/edwards.js"
import { ed25519 } from "@noble/curves/ed25519.js"
import { blake2b } from "@noble/hashes/blake2.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"

// A signer that is written from the description of a sign-in alone, and shares no code with the service.

/** Returns the test vector of a text by its names; undefined for a text without one. */
export const ruleIn = (text: string): Readonly<Record<string, string>> | undefined => {
  const [, vector] = /Test vector: (.*?signature [0-9a-f]{128})\b/.exec(text) ?? []
  if (vector === undefined) return undefined
  const pairs = vector.split(", ").map((it) => /^([a-z ]+) `?([^`]+)`?$/.exec(it) ?? [])
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, value]))
}

/** RFC 8032, 5.1.5. */
const clamp = (bytes: Uint8Array) => {
  const [first = 0, last = 0] = [bytes[0], bytes[31]]
  return Uint8Array.of(first & 248, ...bytes.slice(1, 31), (last & 127) | 64)
}

/** "Ed25519 with BLAKE2b-512 in place of SHA-512". */
const curve = eddsa(ed25519.Point, blake2b, { adjustScalarBytes: clamp })

/** Makes a signer for a key that puts the bytes together as the text says. */
export const documentedSigner = (text: string, privateKey: string) => {
  const [, first = "", words = ""] = /: (0x[0-9a-f]{2}) `([^`]+)`, the length of `message`/.exec(text) ?? []
  const prefix = Buffer.from([Number(first), ...Buffer.from(words.replaceAll(String.raw`\n`, "\n"))])
  const digest = (message: string) => {
    const bytes = Buffer.from(message)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return blake2b(Buffer.concat([prefix, length, bytes]), { dkLen: 32 })
  }
  const key = hexToBytes(privateKey)
  return {
    publicKey: bytesToHex(curve.getPublicKey(key)),
    digestOf: (message: string) => bytesToHex(digest(message)),
    sign: (message: string) => bytesToHex(curve.sign(digest(message), key)),
    signDigest: (bytes: Uint8Array) => bytesToHex(curve.sign(bytes, key))
  }
}

/** Returns the address of a public key, by the alphabet and the parts that a text lists. */
export const documentedAddress = (text: string, publicKey: string) => {
  const rule =
    /: (\w+_), then base32 \((\w{32})\) of four zero bits and the public key, then base32 of the BLAKE2b-(\d+) of the public key/
  const [, prefix = "", alphabet = "", bits = ""] = rule.exec(text) ?? []
  const letters = (value: bigint, length: number) =>
    Array.from({ length }, (_, at) => alphabet[Number((value >> BigInt(5 * (length - 1 - at))) & 31n)]).join(
      ""
    )
  const check = blake2b(hexToBytes(publicKey), { dkLen: Number(bits) / 8 }).toReversed()
  return prefix + letters(BigInt(`0x${publicKey}`), 52) + letters(BigInt(`0x${bytesToHex(check)}`), 8)
}

interface BlockValues {
  readonly account: string
  readonly representative: string
  readonly previous: string
  readonly link: string
  readonly balance: bigint
}

/** Returns the digest of a block, of the parts that a text lists in their order. Keys are in hex. */
export const documentedBlock = (text: string, values: BlockValues) => {
  const [, list = ""] = /Hash of a block: BLAKE2b-256 over ([^.]+)\./.exec(text) ?? []
  const bytesOf = (part: string) => {
    const [, zeros] = /^(\d+) zero bytes$/.exec(part) ?? []
    if (zeros !== undefined) return new Uint8Array(Number(zeros))
    if (part.startsWith("0x")) return Uint8Array.of(Number(part))
    if (part === "balance in 16 big-endian bytes")
      return hexToBytes(values.balance.toString(16).padStart(32, "0"))
    return hexToBytes(values[part.replace("the public key of ", "") as "account" | "previous" | "link"])
  }
  return blake2b(Buffer.concat(list.split(", ").map(bytesOf)), { dkLen: 32 })
}
