import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import {
  EMAIL_ADDRESS_MAX,
  EmailAddress,
  EmailAddressInput,
  mailboxOf
} from "../../schemas/platform/EmailAddress.ts"

const decode = Schema.decodeUnknownOption(EmailAddressInput)
const valueOf = (text: unknown) => {
  const decoded = decode(text)
  return decoded._tag === "Some" ? decoded.value : undefined
}

describe("e-mail addresses (spec 8)", () => {
  it("An address keeps its spelling, except for NFC and one form of the domain", () => {
    assert.strictEqual(valueOf("  Ada@EXAMPLE.Org "), "Ada@example.org")
    assert.strictEqual(valueOf("Ada@example.org."), "Ada@example.org")
    assert.strictEqual(valueOf("ada@\uff45xample.org"), "ada@example.org")
    assert.strictEqual(valueOf("zoe\u0308@example.org"), "zo\u00eb@example.org")
    assert.strictEqual(valueOf("ada@M\u00dcNCHEN.example"), "ada@m\u00fcnchen.example")
    assert.strictEqual(valueOf("o'hara+news@a-b.example"), "o'hara+news@a-b.example")
    assert.strictEqual(valueOf("ada@localhost"), "ada@localhost")
  })

  it("An address without a whole domain is refused", () => {
    for (const text of ["a@x", "ada@gmail", "ada@com.", "ada@\u65e5\u672c", "ada@"])
      assert.isUndefined(valueOf(text), text)
  })

  it("All spellings of one mailbox have one identity", () => {
    const identityOf = (text: string) => {
      const address = valueOf(text)
      return address === undefined ? undefined : mailboxOf(address)
    }
    for (const text of ["Ada@example.org", "ADA@EXAMPLE.ORG.", "ada@\uff45\uff58ample.org"])
      assert.strictEqual(identityOf(text), "ada@example.org")
    for (const text of ["a@M\u00dcNCHEN.example", "A@mu\u0308nchen.example.", "a@xn--mnchen-3ya.example"])
      assert.strictEqual(identityOf(text), "a@xn--mnchen-3ya.example")
    assert.notStrictEqual(identityOf("ada@example.org"), identityOf("ada@example.com"))
  })

  it("An address that was stored before a stricter rule also has an identity", () => {
    for (const text of ["a@b..c", ".a@b.org", "A@b-.org.", "a"])
      assert.strictEqual(
        mailboxOf(mailboxOf(EmailAddress.make(text)) as string as EmailAddress),
        mailboxOf(EmailAddress.make(text))
      )
  })

  it("An address has the same identity before and after decoding", () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: "grapheme" })), (text) => {
        const address = valueOf(text)
        if (address === undefined) return
        assert.strictEqual(mailboxOf(address), mailboxOf(EmailAddress.make(text.trim())))
        assert.strictEqual(mailboxOf(mailboxOf(address) as string as EmailAddress), mailboxOf(address))
      })
    )
  })

  it("A decoded address decodes to the same text again", () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string(), fc.string({ unit: "grapheme" })), (text) => {
        const once = valueOf(text)
        assert.strictEqual(once === undefined ? once : valueOf(once), once)
      })
    )
  })

  it("Any text is decoded without a throw, and cannot end a header, a command or a list", () => {
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
