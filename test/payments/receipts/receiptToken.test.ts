import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Redacted } from "effect"
import { receiptTokenOf } from "../../../src/payments/receipts/receiptToken.ts"

const of = (secret: string) => Redacted.value(receiptTokenOf(Redacted.make(secret)).token)

describe("the token of a receipt", () => {
  it("A receipt is the same for the same secret, and different for every other secret", () => {
    const secrets = ["", "a", "b", "ppi_a", "ppi_b", "pps_a"]
    assert.deepStrictEqual(secrets.map(of), secrets.map(of))
    assert.strictEqual(new Set(secrets.map(of)).size, secrets.length)
    assert.strictEqual(new Set(secrets.map((it) => of(it).slice(0, 26))).size, secrets.length)
  })

  it("A receipt has 22 digits of its name and 43 of its secret", () => {
    for (let number = 0; number < 200; number++) {
      assert.match(of(`ppi_${number}`), /^ppr_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}$/)
    }
  })

  it("A receipt is stored as its SHA-256, and shown by no log", () => {
    const { token, tokenHash } = receiptTokenOf(Redacted.make("ppi_a"))
    assert.deepStrictEqual(tokenHash, sha256(utf8ToBytes(Redacted.value(token))))
    assert.notInclude(JSON.stringify({ token }), "ppr_")
    assert.notInclude(String(token), "ppr_")
  })
})
