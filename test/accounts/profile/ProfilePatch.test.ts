import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { answersTo, errorsOf, read } from "./patchAnswers.ts"

const link = { label: "Blog", url: "https://example.com" }
const links = (...urls: ReadonlyArray<string>) => ({
  socialLinks: urls.map((url) => ({ label: "Blog", url }))
})
const tipping = (...amounts: ReadonlyArray<unknown>) => ({ tipping: { buttonLabel: "Tip", amounts } })

describe("a Profile PATCH (4.2)", () => {
  it("An empty object and any value other than an object are rejected (4.2.1)", () => {
    assert.deepStrictEqual(answersTo({}), ["body required"])
    assert.deepStrictEqual(answersTo(null, [], "name"), ["body invalid"])
  })

  it("Unknown members are rejected, including profile ids and agent labels (4.2.1)", () => {
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

  it("A null clears a nullable member, and is invalid in the others (4.2.1)", () => {
    const cleared = { bio: null, location: null, socialLinks: null, pinnedPostId: null }
    assert.deepStrictEqual(read(cleared), cleared)
    assert.deepStrictEqual(answersTo({ name: null }), ["name invalid"])
    assert.deepStrictEqual(answersTo({ handle: null }), ["handle invalid"])
    assert.deepStrictEqual(answersTo({ tipping: null }), ["tipping invalid"])
  })

  it("Every offending member is named", () => {
    assert.deepStrictEqual(errorsOf({ name: "", handle: "@", bio: 1 }), [
      "name too_short",
      "handle too_short",
      "bio invalid"
    ])
  })

  it("A Profile takes at most two social links, with labels of 1 to 40 characters (4.2.4)", () => {
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

  it("A social link takes only absolute HTTP(S) URLs (4.2.4)", () => {
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

  it("A URL needs a host, and takes neither credentials nor invisible characters (4.2.4)", () => {
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

  it("A pinned Post is named by its uuid (4.2.5)", () => {
    assert.deepStrictEqual(answersTo({ pinnedPostId: "0198e7a0-0000-7000-8000-000000000001" }), ["accepted"])
    assert.deepStrictEqual(answersTo({ pinnedPostId: "my-post" }, { pinnedPostId: 1 }), [
      "pinnedPostId invalid"
    ])
  })

  it("Tipping requires both members, and a button label of 1 to 40 characters (4.2.6)", () => {
    const labelled = (buttonLabel: string) => ({ tipping: { buttonLabel, amounts: [1, 2, 3] } })
    assert.strictEqual(read(labelled(" Thanks ")).tipping?.buttonLabel, "Thanks")
    assert.deepStrictEqual(answersTo(labelled("a"), labelled("a".repeat(40))), ["accepted"])
    assert.deepStrictEqual(answersTo(labelled(" ")), ["tipping.buttonLabel too_short"])
    assert.deepStrictEqual(answersTo(labelled("a".repeat(41))), ["tipping.buttonLabel too_long"])
    assert.deepStrictEqual(answersTo({ tipping: { buttonLabel: "Tip" } }), ["tipping.amounts required"])
    assert.deepStrictEqual(answersTo({ tipping: { amounts: [1, 2, 3] } }), ["tipping.buttonLabel required"])
  })

  it("Tipping takes three ascending amounts from 0.001 XNO with at most six decimals (4.2.6)", () => {
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

  it("Every ascending triple of millionths from 0.001 on is accepted (4.2.6)", () => {
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
