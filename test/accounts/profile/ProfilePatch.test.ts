import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { Handle, ProfilePatch } from "../../../schemas/accounts/profile/Profile.ts"
import { fieldErrorsOf } from "../../../src/platform/http/fieldErrors.ts"

// The options that the API reads bodies with.
const decode = Schema.decodeUnknownResult(ProfilePatch, { onExcessProperty: "error", errors: "all" })

const read = (body: unknown) => Result.getOrThrow(decode(body))

const errorsOf = (body: unknown) => {
  const result = decode(body)
  if (Result.isSuccess(result)) return []
  return fieldErrorsOf(result.failure.issue, "body").errors.map(({ code, field }) => `${field} ${code}`)
}

/** Returns the distinct answers to these bodies: one, if the rule treats all alike. */
const answersTo = (...bodies: ReadonlyArray<unknown>) => [
  ...new Set(bodies.map((body) => errorsOf(body).join(", ") || "accepted"))
]

const link = { label: "Blog", url: "https://example.com" }
const links = (...urls: ReadonlyArray<string>) => ({
  socialLinks: urls.map((url) => ({ label: "Blog", url }))
})
const tipping = (...amounts: ReadonlyArray<unknown>) => ({ tipping: { buttonLabel: "Tip", amounts } })

describe("a Profile PATCH (4.2)", () => {
  it("rejects an empty object and any other value than an object (4.2.1)", () => {
    assert.deepStrictEqual(answersTo({}), ["body required"])
    assert.deepStrictEqual(answersTo(null, [], "name"), ["body invalid"])
  })

  it("rejects unknown members, including profile ids and agent labels (4.2.1)", () => {
    for (const member of ["id", "profileId", "authorKind", "agent", "avatarUrl", "headerImageUrl", "email"]) {
      assert.deepStrictEqual(answersTo({ name: "Ada", [member]: "x" }), [`${member} unknown`])
      assert.include(errorsOf({ [member]: "x" }), `${member} unknown`)
    }
    assert.deepStrictEqual(answersTo({ socialLinks: [{ ...link, name: "x" }] }), [
      "socialLinks.0.name unknown"
    ])
    assert.deepStrictEqual(answersTo({ tipping: { buttonLabel: "Tip", amounts: [1, 2, 3], minimum: 1 } }), [
      "tipping.minimum unknown"
    ])
  })

  it("reads null as clearing a nullable member, and in no other (4.2.1)", () => {
    const cleared = { bio: null, location: null, socialLinks: null, pinnedPostId: null }
    assert.deepStrictEqual(read(cleared), cleared)
    assert.deepStrictEqual(answersTo({ name: null }), ["name invalid"])
    assert.deepStrictEqual(answersTo({ handle: null }), ["handle invalid"])
    assert.deepStrictEqual(answersTo({ tipping: null }), ["tipping invalid"])
  })

  it("names every offending member", () => {
    assert.deepStrictEqual(errorsOf({ name: "", handle: "@", bio: 1 }), [
      "name too_short",
      "handle too_short",
      "bio invalid"
    ])
  })

  it("takes names of 1 to 50 characters after trimming (4.2.2)", () => {
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

  it("reserves the name New User in any case or spacing (4.2.2)", () => {
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

  it("takes handles of 4 to 30 ASCII letters, digits or underscores, trimmed (4.2.2, 4.2.3)", () => {
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

  it("refuses names that impersonate the service (4.2.2)", () => {
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

  it("rejects the user_ prefix regardless of case (4.2.3)", () => {
    assert.deepStrictEqual(
      answersTo({ handle: "user_1" }, { handle: "USER_ada" }, { handle: " User_0123456789ab " }),
      ["handle reserved"]
    )
    assert.deepStrictEqual(answersTo({ handle: "users_ada" }, { handle: "my_user_1" }), ["accepted"])
  })

  it("leaves it to the account whether it may keep a reserved handle (4.2.3)", () => {
    assert.deepStrictEqual(answersTo({ handle: "admin" }, { handle: "Pennypress" }), ["accepted"])
    const isHandle = Schema.is(Handle)
    for (const handle of ["admin", "ADMIN", "Pennypress", "docs", "user_1"]) assert.isFalse(isHandle(handle))
    assert.isTrue(isHandle("Ada_1815"))
  })

  it("takes a bio of at most 250 and a trimmed location of at most 80 characters", () => {
    assert.deepStrictEqual(
      answersTo({ bio: "b".repeat(250) }, { location: ` ${"l".repeat(80)} ` }, { bio: "" }),
      ["accepted"]
    )
    assert.deepStrictEqual(answersTo({ bio: "b".repeat(251) }), ["bio too_long"])
    assert.deepStrictEqual(answersTo({ location: "l".repeat(81) }), ["location too_long"])
    assert.strictEqual(read({ location: " London " }).location, "London")
    assert.strictEqual(read({ bio: " kept " }).bio, " kept ")
  })

  it("takes at most two social links with labels of 1 to 40 characters after trimming (4.2.4)", () => {
    assert.deepStrictEqual(
      answersTo(
        { socialLinks: [] },
        { socialLinks: [link, link] },
        { socialLinks: [{ ...link, label: "l".repeat(40) }] }
      ),
      ["accepted"]
    )
    assert.deepStrictEqual(answersTo({ socialLinks: [link, link, link] }), ["socialLinks too_long"])
    assert.deepStrictEqual(answersTo({ socialLinks: [{ ...link, label: " " }] }), [
      "socialLinks.0.label too_short"
    ])
    assert.deepStrictEqual(answersTo({ socialLinks: [link, { ...link, label: "l".repeat(41) }] }), [
      "socialLinks.1.label too_long"
    ])
    assert.deepStrictEqual(answersTo({ socialLinks: [{ label: "Blog" }] }), ["socialLinks.0.url required"])
  })

  it("takes absolute HTTP(S) URLs in social links, and no others (4.2.4)", () => {
    assert.deepStrictEqual(
      answersTo(
        links("https://x.com/ada?a=1#b"),
        links("HTTP://example.com:8080/"),
        links("https://例え.jp/")
      ),
      ["accepted"]
    )
    for (const url of ["/ada", "x.com/ada", "//x.com/ada", "https:x.com", "https://", "https:///", ""]) {
      assert.deepStrictEqual(answersTo(links(url)), ["socialLinks.0.url invalid"])
    }
    for (const url of [
      "javascript:alert(1)",
      "data:text/html,x",
      "ftp://example.com",
      " https://x.com",
      "https://x.com/a b"
    ]) {
      assert.deepStrictEqual(answersTo(links(url)), ["socialLinks.0.url invalid"])
    }
    const long = (length: number) => `https://example.com/${"a".repeat(length - 20)}`
    assert.deepStrictEqual(answersTo(links(long(2048))), ["accepted"])
    assert.deepStrictEqual(answersTo(links(long(2049))), ["socialLinks.0.url too_long"])
  })

  it("takes URLs with a host, without credentials and without invisible characters (4.2.4)", () => {
    for (const url of [
      "https://ada:secret@example.com",
      "https://ada@example.com",
      "https://@example.com",
      "https:///example.com",
      "https://?x",
      "https://example.com\\@evil.example",
      "https://example.com/\u202egpj.exe",
      "https://exam\u200bple.com",
      "https://example.com/\u0007",
      "https://example.com/\u0085",
      "https://example.com/\ufeff",
      "https://example.com:99999/"
    ]) {
      assert.deepStrictEqual(answersTo(links(url)), ["socialLinks.0.url invalid"], url)
    }
    assert.deepStrictEqual(answersTo(links("https://example.com/@ada?to=a@b.example")), ["accepted"])
    // The URL stays as sent, without an added slash, a changed case or encoding.
    for (const url of ["https://Example.COM", "https://example.com/%7Eada/../ada", "https://例え.jp/本"])
      assert.strictEqual(read(links(url)).socialLinks?.[0]?.url, url)
  })

  it("takes text in NFC without controls, bidirectional controls or invisible characters", () => {
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

  it("counts characters as readers do, at every limit", () => {
    const family = "👨‍👩‍👧‍👦"
    const at = (member: string, limit: number) => {
      assert.deepStrictEqual(answersTo({ [member]: family.repeat(limit) }), ["accepted"])
      assert.deepStrictEqual(answersTo({ [member]: family.repeat(limit + 1) }), [`${member} too_long`])
    }
    at("name", 50)
    at("bio", 250)
    at("location", 80)
  })

  it("refuses an invisible name or label", () => {
    for (const blank of ["\u2800", "\u3000", "\u0301"]) {
      assert.deepStrictEqual(answersTo({ name: blank }), ["name too_short"])
      assert.deepStrictEqual(answersTo({ socialLinks: [{ ...link, label: blank }] }), [
        "socialLinks.0.label too_short"
      ])
    }
    assert.deepStrictEqual(answersTo({ name: "\u3164" }), ["name invalid"])
  })

  it("refuses a hostile name of a megabyte at once", () => {
    // Normalization must reorder these marks, which takes minutes for the whole text.
    const name = "a\u0316\u0301".repeat(170_000)
    assert.deepStrictEqual(answersTo({ name }, { bio: name }), ["name too_long", "bio too_long"])
  })

  it("takes the uuid of a pinned Post (4.2.5)", () => {
    assert.deepStrictEqual(answersTo({ pinnedPostId: "0198e7a0-0000-7000-8000-000000000001" }), ["accepted"])
    assert.deepStrictEqual(answersTo({ pinnedPostId: "my-post" }, { pinnedPostId: 1 }), [
      "pinnedPostId invalid"
    ])
  })

  it("requires both members of tipping, and a button label of 1 to 40 characters after trimming (4.2.6)", () => {
    const labelled = (buttonLabel: string) => ({ tipping: { buttonLabel, amounts: [1, 2, 3] } })
    assert.strictEqual(read(labelled(" Thanks ")).tipping?.buttonLabel, "Thanks")
    assert.deepStrictEqual(answersTo(labelled("a"), labelled("a".repeat(40))), ["accepted"])
    assert.deepStrictEqual(answersTo(labelled(" ")), ["tipping.buttonLabel too_short"])
    assert.deepStrictEqual(answersTo(labelled("a".repeat(41))), ["tipping.buttonLabel too_long"])
    assert.deepStrictEqual(answersTo({ tipping: { buttonLabel: "Tip" } }), ["tipping.amounts required"])
    assert.deepStrictEqual(answersTo({ tipping: { amounts: [1, 2, 3] } }), ["tipping.buttonLabel required"])
  })

  it("takes exactly three different ascending amounts of at least 0.001 XNO with at most six decimals (4.2.6)", () => {
    assert.deepStrictEqual(
      answersTo(tipping(0.001, 0.25, 1), tipping(0.123456, 0.123457, 100), tipping(1, 2, 133_248_297)),
      ["accepted"]
    )
    assert.deepStrictEqual(answersTo(tipping(0.0009, 1, 2), tipping(0, 1, 2), tipping(-1, 1, 2)), [
      "tipping.amounts out_of_range"
    ])
    assert.deepStrictEqual(answersTo(tipping(0.1234567, 1, 2), tipping(0.1 + 0.2, 1, 2)), [
      "tipping.amounts out_of_range"
    ])
    assert.deepStrictEqual(answersTo(tipping(1, 2, 133_248_298)), ["tipping.amounts out_of_range"])
    assert.deepStrictEqual(answersTo(tipping(1, 1, 2), tipping(3, 2, 1), tipping(1, 3, 2)), [
      "tipping.amounts invalid"
    ])
    assert.deepStrictEqual(answersTo(tipping(1, 2)), ["tipping.amounts.2 required"])
    assert.deepStrictEqual(answersTo(tipping(1, 2, 3, 4)), ["tipping.amounts.3 unknown"])
    assert.deepStrictEqual(answersTo(tipping("1", 2, 3), tipping(Number.NaN, 2, 3)), [
      "tipping.amounts.0 invalid"
    ])
  })

  it("takes every ascending triple of millionths from 0.001 on (4.2.6)", () => {
    const millionths = fc.integer({ min: 1000, max: 2_000_000_000 })
    fc.assert(
      fc.property(fc.uniqueArray(millionths, { minLength: 3, maxLength: 3 }), (triple) => {
        assert.deepStrictEqual(
          answersTo(tipping(...triple.toSorted((a, b) => a - b).map((it) => it / 1_000_000))),
          ["accepted"]
        )
      })
    )
  })
})
