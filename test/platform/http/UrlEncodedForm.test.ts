import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type FieldBounds, FIELDS_MAX } from "../../../src/platform/http/SentForm.ts"
import { UrlEncodedForm } from "../../../src/platform/http/UrlEncodedForm.ts"

const utf8 = new TextEncoder()

const parsed = (text: string | Uint8Array, bounds: FieldBounds | number = 1000, chunkBytes = 64 * 1024) => {
  const bytes = typeof text === "string" ? utf8.encode(text) : text
  const form = new UrlEncodedForm(bounds)
  for (let at = 0; at < bytes.length; at += chunkBytes)
    if (!form.write(bytes.subarray(at, at + chunkBytes))) return undefined
  return form.end()
}

/** Returns the fields as `URLSearchParams` reads them: of several values of a name, the first one counts. */
const expected = (text: string) => {
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text.startsWith("?") ? `&${text}` : text))
    if (!fields.has(name)) fields.set(name, value.replaceAll("\r\n", "\n"))
  return [...fields]
}

describe("a URL-encoded form", () => {
  it("What a browser encodes is read as it was written, wherever its bytes are parted", () => {
    const field = fc.tuple(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }),
      fc.string({ unit: "grapheme", maxLength: 200 })
    )
    fc.assert(
      fc.property(
        fc.uniqueArray(field, { selector: ([name]) => name, maxLength: FIELDS_MAX }),
        fc.integer({ min: 1, max: 9 }),
        (fields, chunkBytes) => {
          const form = parsed(new URLSearchParams(fields).toString(), 1000, chunkBytes)
          for (const [name, value] of fields)
            assert.strictEqual(form?.get(name), value.replaceAll("\r\n", "\n"))
        }
      )
    )
  })

  it("Bytes that no browser sends are read as URLSearchParams reads them", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "a",
        "b",
        "=",
        "&",
        "+",
        "%",
        "%4",
        "%41",
        "%zz",
        "%00",
        "%ff",
        "%C0%AF",
        "%ED%A0%80",
        "?"
      ),
      fc.string({ unit: "binary-ascii", maxLength: 3 })
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 25 }).map((it) => it.join("")),
        fc.integer({ min: 1, max: 9 }),
        (text, chunkBytes) => {
          assert.deepStrictEqual(parsed(text, 1000, chunkBytes)?.entries, expected(text))
        }
      ),
      {
        examples: [
          ["a=1&a=2", 1],
          ["a=x=y", 1],
          ["=1&&a", 2],
          ["a=%", 1],
          ["a=%4&b=1", 2]
        ]
      }
    )
    // Node reads characters beyond ASCII wrongly beside escapes of no character.
    assert.deepStrictEqual(parsed("a=é%ff&b=\u{1f600}")?.entries, [
      ["a", "é\ufffd"],
      ["b", "\u{1f600}"]
    ])
  })

  it("A form with too many fields is none", () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=1`).join("&")
    assert.lengthOf(parsed(fields(FIELDS_MAX))?.entries ?? [], FIELDS_MAX)
    assert.isUndefined(parsed(fields(FIELDS_MAX + 1)))
    assert.isUndefined(parsed("&".repeat(5_000_000)))
  })

  it("A field that the form does not declare is left out, even with a name of any length", () => {
    const form = parsed(`${"n".repeat(1_000_000)}=1&__proto__=1&toString=1&a=2`, { a: 5 })
    assert.deepStrictEqual(form?.entries, [["a", "2"]])
  })

  it("A value beyond its bound comes back cut by code points, and the others are whole", () => {
    const form = parsed(`a=${encodeURIComponent("\u{1f600}".repeat(6))}&b=12345&c=1%0D%0A34%0D%0A6`, {
      a: 5,
      b: 5,
      c: 6
    })
    assert.strictEqual(form?.get("a"), "\u{1f600}".repeat(5))
    assert.strictEqual(form?.get("b"), "12345")
    assert.strictEqual(form?.get("c"), "1\n34\n6")
    assert.deepStrictEqual(form?.cut, ["a"])
  })

  it("Of megabytes in a field, little comes back", () => {
    for (const text of ['"', "%22", "%", "+", "&quot;=", "%F0%9F%98%80", "é"]) {
      const form = parsed(`b=1&a=${text.repeat(5_000_000 / text.length).replaceAll("&", "%26")}`, {
        a: 200_000,
        b: 5
      })
      assert.deepStrictEqual(form?.cut, ["a"], text)
      assert.isAtMost(form?.get("a")?.length ?? 0, 8000, text)
      assert.strictEqual(form?.get("b"), "1", text)
    }
  })
})
