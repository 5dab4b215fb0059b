import { assert, describe, it } from "@effect/vitest"
import { pbkdf2 } from "@noble/hashes/pbkdf2.js"
import { sha512 } from "@noble/hashes/sha2.js"
import { Redacted, Schema } from "effect"
import * as fc from "fast-check"
import {
  addressOfPublicKey,
  NanoAddress,
  NanoPublicKey,
  publicKeyOfAddress
} from "../../../schemas/platform/Nano.ts"
import { verify } from "../../../src/platform/nano/ed25519Blake2b.ts"
import { privateKeyOfBip39Seed, privateKeyOfSeed, publicKeyOf } from "../../../src/platform/nano/keys.ts"
import {
  blake2bDigest,
  messageDigest,
  nomsDigest,
  verifyMessage
} from "../../../src/platform/nano/messages.ts"
import { isSmallOrder, isUsableKey, sign, verifyHex } from "../../../src/platform/nano/signatures.ts"
import { vectors } from "./vectors.ts"

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))
const hex = (of: Uint8Array) => Buffer.from(of).toString("hex")
const secret = (privateKey: string) => Redacted.make(bytes(privateKey))
const hexOfKey = (key: Redacted.Redacted<Uint8Array>) => hex(Redacted.value(key))
const address = Schema.decodeUnknownSync(NanoAddress)

/** The order of the group, and an S as a number. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const little = (of: Uint8Array) => BigInt(`0x${hex(of.toReversed())}`)
const littleBytes = (value: bigint) => bytes(value.toString(16).padStart(64, "0")).toReversed()

describe("keys", () => {
  it("A private key has the published public key", () => {
    for (const vector of vectors.keys) {
      assert.strictEqual<string>(publicKeyOf(secret(vector.privateKey)), vector.publicKey)
    }
  })

  it("A seed and an index give the published key", () => {
    for (const vector of vectors.seeds) {
      const privateKey = privateKeyOfSeed(secret(vector.seed), vector.index)
      assert.strictEqual(hexOfKey(privateKey), vector.privateKey)
      assert.strictEqual<string>(addressOfPublicKey(publicKeyOf(privateKey)), vector.address)
    }
  })

  it("A BIP-39 mnemonic gives the published key", () => {
    for (const vector of vectors.bip44) {
      const seed = pbkdf2(sha512, vector.mnemonic, `mnemonic${vector.passphrase}`, { c: 2048, dkLen: 64 })
      assert.strictEqual(hex(seed), vector.bip39Seed)
      const index = Number(/^m\/44'\/165'\/(\d+)'$/.exec(vector.path)?.[1])
      const privateKey = privateKeyOfBip39Seed(Redacted.make(seed), index)
      assert.strictEqual(hexOfKey(privateKey), vector.privateKey)
      assert.strictEqual<string>(publicKeyOf(privateKey), vector.publicKey)
    }
  })

  it("A key is not shown", () => {
    assert.notInclude(
      String(privateKeyOfSeed(secret(vectors.seeds[0]!.seed), 1)),
      vectors.seeds[0]!.privateKey
    )
  })
})

describe("signatures", () => {
  it("Signatures are the published ones, bit for bit", () => {
    for (const vector of vectors.signatures) {
      const signature = sign(secret(vector.privateKey), bytes(vector.digest))
      assert.strictEqual(hex(signature).toUpperCase(), vector.signature)
      const publicKey = publicKeyOf(secret(vector.privateKey))
      assert.isTrue(verifyHex(publicKey, bytes(vector.digest), vector.signature))
      assert.isTrue(verifyHex(publicKey, bytes(vector.digest), vector.signature.toLowerCase()))
    }
  })

  for (const vector of vectors.negativeSignatures) {
    it(`A signature is refused: ${vector.why}`, () => {
      const publicKey = NanoPublicKey.make(vector.publicKey)
      assert.strictEqual<string>(addressOfPublicKey(publicKey), vector.address)
      assert.isTrue(isSmallOrder(publicKey))
      fc.assert(
        fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (digest) => {
          assert.strictEqual(verifyHex(publicKey, digest, vector.signature), vector.mustVerify)
        })
      )
    })
  }

  it("A signature with a malleated S is refused", () => {
    const { privateKey } = vectors.keys[1]!
    const digest = blake2bDigest("malleable?")
    const good = sign(secret(privateKey), digest)
    const key = bytes(publicKeyOf(secret(privateKey)))
    assert.isTrue(verify(key, digest, good))
    for (let s = little(good.subarray(32)) + ORDER; s < 1n << 256n; s += ORDER) {
      assert.isFalse(verify(key, digest, Uint8Array.from([...good.subarray(0, 32), ...littleBytes(s)])))
    }
  })

  it("A signature round-trips, and fits no other digest, key or signature", () => {
    const anyBytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(anyBytes, anyBytes, fc.nat(511), (privateKey, digest, bit) => {
        const key = bytes(publicKeyOf(Redacted.make(privateKey)))
        const signature = sign(Redacted.make(privateKey), digest)
        const flip = (of: Uint8Array) =>
          of.map((byte, place) => (place === (bit >> 3) % of.length ? byte ^ (1 << (bit & 7)) : byte))
        assert.isTrue(verify(key, digest, signature))
        assert.isFalse(verify(key, digest, flip(signature)))
        assert.isFalse(verify(key, flip(digest), signature))
        assert.isFalse(verify(flip(key), digest, signature))
      }),
      { numRuns: 25 }
    )
  })

  it("Any bytes and text give false, without an error", () => {
    const any = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.uint8Array({ minLength: 64, maxLength: 64 })
    )
    fc.assert(
      fc.property(any, any, any, (key, digest, signature) => assert.isFalse(verify(key, digest, signature)))
    )
    const key = publicKeyOf(secret(vectors.keys[0]!.privateKey))
    const text = fc.string({ unit: "binary", maxLength: 200 })
    fc.assert(fc.property(text, (signature) => assert.isFalse(verifyHex(key, new Uint8Array(32), signature))))
    fc.assert(
      fc.property(text, (bad) =>
        assert.isFalse(isUsableKey(bad as NanoPublicKey) || isSmallOrder(bad as NanoPublicKey))
      )
    )
  })
})

describe("unusable keys", () => {
  const p = 2n ** 255n - 19n
  const key = (y: bigint, sign = 0n) => NanoPublicKey.make(hex(littleBytes(y | (sign << 255n))))

  it("Keys of small order are found in every spelling, with the zero key of the burn account", () => {
    const y8 = little(bytes("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"))
    for (const y of [0n, 1n, p - 1n, p, p + 1n, y8, p - y8]) {
      for (const sign of [0n, 1n]) {
        assert.isTrue(isSmallOrder(key(y, sign)), `${y} ${sign}`)
        assert.isFalse(isUsableKey(key(y, sign)), `${y} ${sign}`)
      }
    }
    const burn = address("nano_1111111111111111111111111111111111111111111111111111hifc8npp")
    assert.isTrue(isSmallOrder(publicKeyOfAddress(burn)))
  })

  it("A key may be off the curve although its address is valid", () => {
    assert.isFalse(isSmallOrder(key(2n)))
    assert.isFalse(isUsableKey(key(2n)))
  })

  it("The keys of wallets are usable", () => {
    for (const vector of [...vectors.keys, ...vectors.seeds, ...vectors.bip44]) {
      assert.isFalse(isSmallOrder(NanoPublicKey.make(vector.publicKey)))
      assert.isTrue(isUsableKey(NanoPublicKey.make(vector.publicKey)))
    }
  })
})

describe("messages", () => {
  it("Messages in the noms format are the published ones", () => {
    for (const vector of vectors.noms) {
      assert.strictEqual(hex(new TextEncoder().encode(vector.message)), vector.messageUtf8Hex)
      assert.strictEqual(hex(nomsDigest(vector.message)), vector.digest)
      const claim = { account: address(vector.account), message: vector.message, signature: vector.signature }
      assert.isTrue(verifyMessage({ ...claim, format: "noms" }))
      assert.isFalse(verifyMessage({ ...claim, format: "blake2b" }))
      assert.isFalse(verifyMessage({ ...claim, format: "noms", message: `${vector.message}\n` }))
      if (vector.privateKey === null) continue
      const signature = sign(secret(vector.privateKey), messageDigest("noms", vector.message))
      assert.strictEqual(hex(signature), vector.signature)
    }
  })

  it("Messages in the bare format are the published ones, and no third format is read", () => {
    const known = vectors.legacyMessage.map((vector) => {
      const account = addressOfPublicKey(publicKeyOf(secret(vector.privateKey)))
      assert.strictEqual(hex(sign(secret(vector.privateKey), bytes(vector.digest))), vector.signature)
      assert.isFalse(verifyMessage({ ...vector, account, format: "noms" }))
      return (
        hex(messageDigest("blake2b", vector.message)) === vector.digest &&
        verifyMessage({ ...vector, account, format: "blake2b" })
      )
    })
    assert.deepStrictEqual(known, [true, false])
  })
})
