import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { EMAIL_ADDRESS_MAX, EmailAddress } from "../../schemas/platform/EmailAddress.ts"

const decode = Schema.decodeUnknownOption(EmailAddress)
const valueOf = (text: unknown) => {
  const decoded = decode(text)
  return decoded._tag === "Some" ? decoded.value : undefined
}

describe("e-mail addresses (8)", () => {
  it("are one text for one mailbox: NFC, the domain in lower case, the local part as given", () => {
    assert.strictEqual(valueOf("  Ada@EXAMPLE.Org "), "Ada@example.org")
    assert.strictEqual(valueOf("zoe\u0308@example.org"), "zo\u00eb@example.org")
    assert.strictEqual(valueOf("ada@M\u00dcNCHEN.example"), "ada@m\u00fcnchen.example")
    assert.notStrictEqual(valueOf("Ada@example.org"), valueOf("ada@example.org"))
  })

  it("decode to the same text again", () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string(), fc.string({ unit: "grapheme" })), (text) => {
        const once = valueOf(text)
        assert.strictEqual(once === undefined ? once : valueOf(once), once)
      })
    )
  })

  it("of any shape never throw, and hold nothing that ends a header, a command or a list", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.emailAddress()), (text) => {
        const address = valueOf(text)
        if (address === undefined) return
        assert.isAtMost(address.length, EMAIL_ADDRESS_MAX)
        assert.notMatch(address, /[\s\p{C}<>()[\]\\,;:"]/u)
        assert.lengthOf(address.split("@"), 2)
      })
    )
  })
})
