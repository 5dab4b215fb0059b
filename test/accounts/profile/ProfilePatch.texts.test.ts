import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Handle } from "../../../schemas/accounts/profile/Profile.ts"
import { answersTo, read } from "./patchAnswers.ts"

const link = { label: "Blog", url: "https://example.com" }

describe("the texts of a Profile PATCH (4.2)", () => {
  it("A name has 1 to 50 characters after trimming (4.2.2)", () => {
    assert.strictEqual(read({ name: "  Ada Lovelace\n" }).name, "Ada Lovelace")
    assert.deepStrictEqual(
      answersTo(
        { name: "A" },
        { name: "ä".repeat(50) },
        { name: "🖋".repeat(50) },
        { name: ` ${"a".repeat(50)} ` }
      ),
      ["accepted"]
    )
    assert.deepStrictEqual(answersTo({ name: "" }, { name: "   " }), ["name too_short"])
    assert.deepStrictEqual(answersTo({ name: "a".repeat(51) }, { name: "🖋".repeat(51) }), ["name too_long"])
  })

  it("The name New User is reserved in any case or spacing (4.2.2)", () => {
    for (const name of [
      "New User",
      "new user",
      " NEW  USER ",
      "newuser",
      "n e w  u s e r",
      "New\u00a0User",
      "\u2003New\u3000User\u205f",
      "Ｎｅｗ Ｕｓｅｒ",
      "𝐍𝐞𝐰 𝐔𝐬𝐞𝐫",
      "New\u2800User"
    ]) {
      assert.deepStrictEqual(answersTo({ name }), ["name reserved"])
    }
    for (const name of ["New\u200bUser", "New\tUser", "New\u00adUser"])
      assert.deepStrictEqual(answersTo({ name }), ["name invalid"])
    assert.deepStrictEqual(answersTo({ name: "New User 2" }, { name: "A New User" }), ["accepted"])
  })

  it("A handle has 4 to 30 ASCII letters, digits or underscores after trimming (4.2.2, 4.2.3)", () => {
    assert.strictEqual(read({ handle: " Ada_1815 " }).handle, "Ada_1815")
    assert.deepStrictEqual(answersTo({ handle: "ada1" }, { handle: "A".repeat(30) }, { handle: "____" }), [
      "accepted"
    ])
    assert.deepStrictEqual(answersTo({ handle: "ada" }, { handle: "" }), ["handle too_short"])
    assert.deepStrictEqual(answersTo({ handle: "a".repeat(31) }), ["handle too_long"])
    assert.deepStrictEqual(
      answersTo({ handle: "@lovelace" }, { handle: "ada-l" }, { handle: "ada l" }, { handle: "ädäl" }),
      ["handle invalid"]
    )
  })

  it("Names that impersonate the service are refused (4.2.2)", () => {
    for (const name of [
      "Pennypress",
      "PENNYPRESS Support",
      "P3nnypr3ss",
      "Реnnурrеss Team",
      "pénnypress.com"
    ])
      assert.deepStrictEqual(answersTo({ name }), ["name reserved"], name)
    assert.deepStrictEqual(answersTo({ name: "A reader of Pennypress" }, { name: "Penny Pressman" }), [
      "accepted"
    ])
  })

  it("The user_ prefix is rejected regardless of case (4.2.3)", () => {
    assert.deepStrictEqual(
      answersTo({ handle: "user_1" }, { handle: "USER_ada" }, { handle: " User_0123456789ab " }),
      ["handle reserved"]
    )
    assert.deepStrictEqual(answersTo({ handle: "users_ada" }, { handle: "my_user_1" }), ["accepted"])
  })

  it("The request may have a reserved handle, which the account then judges (4.2.3)", () => {
    assert.deepStrictEqual(answersTo({ handle: "admin" }, { handle: "Pennypress" }), ["accepted"])
    const isHandle = Schema.is(Handle)
    for (const handle of ["admin", "ADMIN", "Pennypress", "docs", "user_1"]) assert.isFalse(isHandle(handle))
    assert.isTrue(isHandle("Ada_1815"))
  })

  it("A bio has at most 250 characters, and a location at most 80 after trimming", () => {
    assert.deepStrictEqual(
      answersTo({ bio: "b".repeat(250) }, { location: ` ${"l".repeat(80)} ` }, { bio: "" }),
      ["accepted"]
    )
    assert.deepStrictEqual(answersTo({ bio: "b".repeat(251) }), ["bio too_long"])
    assert.deepStrictEqual(answersTo({ location: "l".repeat(81) }), ["location too_long"])
    assert.strictEqual(read({ location: " London " }).location, "London")
    assert.strictEqual(read({ bio: " kept " }).bio, " kept ")
  })

  it("Texts are saved in NFC, without controls, bidirectional controls or invisible characters", () => {
    const label = (text: string) => ({ socialLinks: [{ ...link, label: text }] })
    const tip = (buttonLabel: string) => ({ tipping: { buttonLabel, amounts: [1, 2, 3] } })
    for (const text of ["a\u202eb", "a\u200bb", "a\u0007b", "a\u2066b", "a\u2060b", "\ufeffab"]) {
      assert.deepStrictEqual(answersTo({ name: text }), ["name invalid"])
      assert.deepStrictEqual(answersTo({ location: text }), ["location invalid"])
      assert.deepStrictEqual(answersTo({ bio: text }), ["bio invalid"])
      assert.deepStrictEqual(answersTo(label(text)), ["socialLinks.0.label invalid"])
      assert.deepStrictEqual(answersTo(tip(text)), ["tipping.buttonLabel invalid"])
    }
    for (const text of ["a\nb", "a\tb", "a\u2028b"]) {
      assert.deepStrictEqual(answersTo({ name: text }), ["name invalid"])
      assert.deepStrictEqual(answersTo({ location: text }), ["location invalid"])
      assert.strictEqual(read({ bio: text }).bio, text)
    }
    const composed = read({
      name: "Ame\u0301lie",
      bio: "o\u0308",
      location: "Zu\u0308rich",
      ...tip("Mercı\u0327")
    })
    assert.deepInclude(composed, { name: "Amélie", bio: "ö", location: "Zürich" })
  })

  it("Every limit counts characters as readers do", () => {
    const family = "👨‍👩‍👧‍👦"
    const at = (member: string, limit: number) => {
      assert.deepStrictEqual(answersTo({ [member]: family.repeat(limit) }), ["accepted"])
      assert.deepStrictEqual(answersTo({ [member]: family.repeat(limit + 1) }), [`${member} too_long`])
    }
    at("name", 50)
    at("bio", 250)
    at("location", 80)
  })

  it("An invisible name or label is refused", () => {
    for (const blank of ["\u2800", "\u3000", "\u0301"]) {
      assert.deepStrictEqual(answersTo({ name: blank }), ["name too_short"])
      assert.deepStrictEqual(answersTo({ socialLinks: [{ ...link, label: blank }] }), [
        "socialLinks.0.label too_short"
      ])
    }
    assert.deepStrictEqual(answersTo({ name: "\u3164" }), ["name invalid"])
  })

  it("A hostile name of a megabyte is refused immediately", () => {
    // Normalization must reorder these marks, which takes minutes for the whole text.
    const name = "a\u0316\u0301".repeat(170_000)
    assert.deepStrictEqual(answersTo({ name }, { bio: name }), ["name too_long", "bio too_long"])
  })
})
