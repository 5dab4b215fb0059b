import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { ProfilePatch } from "../../schemas/profile/Profile.ts"
import { RESERVED_HANDLES } from "../../schemas/profile/reserved.ts"
import { fieldErrorsOf } from "../../src/http/fieldErrors.ts"

// As the API reads bodies.
const decode = Schema.decodeUnknownResult(ProfilePatch, { onExcessProperty: "error", errors: "all" })

const read = (body: unknown) => Result.getOrThrow(decode(body))

const errorsOf = (body: unknown) => {
  const result = decode(body)
  if (Result.isSuccess(result)) return []
  return fieldErrorsOf(result.failure.issue).map(({ code, field }) => `${field} ${code}`)
}

/** The different answers to these bodies, which a rule that treats them alike makes one. */
const answersTo = (...bodies: ReadonlyArray<unknown>) => [
  ...new Set(bodies.map((body) => errorsOf(body).join(", ") || "accepted"))
]

const link = { label: "Blog", url: "https://example.com" }
const links = (...urls: ReadonlyArray<string>) => ({
  socialLinks: urls.map((url) => ({ label: "Blog", url }))
})
const tipping = (...amounts: ReadonlyArray<unknown>) => ({ tipping: { buttonLabel: "Tip", amounts } })

describe("a Profile PATCH (4.2)", () => {
  it("rejects an empty object, and what is no object", () => {
    assert.deepStrictEqual(answersTo({}), [" required"])
    assert.deepStrictEqual(answersTo(null, [], "name"), [" invalid"])
  })

  it("rejects unknown members, including profile ids and agent labels", () => {
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

  it("reads null as clearing a nullable member, and in no other", () => {
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

  it("takes names of 1 to 50 characters after trimming", () => {
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

  it("reserves the name New User in any case or spacing", () => {
    for (const name of [
      "New User",
      "new user",
      " NEW  USER ",
      "newuser",
      "n e w\tu s e r",
      "New\u00a0User"
    ]) {
      assert.deepStrictEqual(answersTo({ name }), ["name reserved"])
    }
    // What looks the same to a reader is the same.
    assert.deepStrictEqual(answersTo({ name: "New\u200bUser" }, { name: "Ｎｅｗ Ｕｓｅｒ" }), [
      "name reserved"
    ])
    assert.deepStrictEqual(answersTo({ name: "New User 2" }, { name: "A New User" }), ["accepted"])
  })

  it("takes handles of 4 to 30 ASCII letters, digits or underscores, trimmed", () => {
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

  it("rejects reserved handles and the user_ prefix regardless of case", () => {
    assert.deepStrictEqual(
      answersTo({ handle: "admin" }, { handle: "ADMIN" }, { handle: "Pennypress" }, { handle: " docs " }),
      ["handle reserved"]
    )
    assert.deepStrictEqual(
      answersTo({ handle: "user_1" }, { handle: "USER_ada" }, { handle: "User_0123456789ab" }),
      ["handle reserved"]
    )
    assert.deepStrictEqual(answersTo({ handle: "users_ada" }, { handle: "my_user_1" }), ["accepted"])
    for (const handle of RESERVED_HANDLES) assert.isNotEmpty(errorsOf({ handle }), handle)
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

  it("takes at most two social links with labels of 1 to 40 characters after trimming", () => {
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

  it("takes absolute HTTP(S) URLs in social links, and no others", () => {
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

  it("takes the uuid of a pinned Post", () => {
    assert.deepStrictEqual(answersTo({ pinnedPostId: "0198e7a0-0000-7000-8000-000000000001" }), ["accepted"])
    assert.deepStrictEqual(answersTo({ pinnedPostId: "my-post" }, { pinnedPostId: 1 }), [
      "pinnedPostId invalid"
    ])
  })

  it("requires both members of tipping, and a button label of 1 to 40 characters after trimming", () => {
    const labelled = (buttonLabel: string) => ({ tipping: { buttonLabel, amounts: [1, 2, 3] } })
    assert.strictEqual(read(labelled(" Thanks ")).tipping?.buttonLabel, "Thanks")
    assert.deepStrictEqual(answersTo(labelled("a"), labelled("a".repeat(40))), ["accepted"])
    assert.deepStrictEqual(answersTo(labelled(" ")), ["tipping.buttonLabel too_short"])
    assert.deepStrictEqual(answersTo(labelled("a".repeat(41))), ["tipping.buttonLabel too_long"])
    assert.deepStrictEqual(answersTo({ tipping: { buttonLabel: "Tip" } }), ["tipping.amounts required"])
    assert.deepStrictEqual(answersTo({ tipping: { amounts: [1, 2, 3] } }), ["tipping.buttonLabel required"])
  })

  it("takes exactly three different ascending amounts of at least 0.001 XNO with at most six decimals", () => {
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

  it("takes every ascending triple of millionths from 0.001 on", () => {
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
