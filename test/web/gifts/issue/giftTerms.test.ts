import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { GiftRequest } from "../../../../schemas/payments/gifts/Gift.ts"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import { formOfValues } from "../../../../src/platform/http/SentForm.ts"
import { defaultTerms, requestOf, termsOf } from "../../../../src/web/gifts/issue/giftTerms.ts"

const POST = PostId.make("0190f3c2-7b1e-7c4a-9d52-000000000001")
const AT = new Date("2026-11-21T23:30:00Z")

const sent = (text: string) =>
  formOfValues(new URLSearchParams(text), { label: 500, readers: 100, until: 100 })

const of = (terms: object) => requestOf(POST, { ...defaultTerms(AT), ...terms })

describe("the terms of a gift", () => {
  it("The terms are one reader and 30 days, unless the form names others", () => {
    assert.deepStrictEqual(of({}), {
      postId: POST,
      maxRedemptions: 1,
      expiresAt: "2026-12-21T23:59:59.000000Z" as never
    })
    assert.deepStrictEqual(of({ label: "For Ann", readers: "10000", until: "" }), {
      postId: POST,
      label: "For Ann",
      maxRedemptions: 10_000,
      expiresAt: null
    })
    assert.deepStrictEqual(termsOf(sent("label=+Ann+&readers=2&until=2027-01-01&until=x")), {
      label: "Ann",
      readers: "2",
      until: "2027-01-01"
    })
    assert.deepStrictEqual(termsOf(sent("")), { label: "", readers: "", until: "" })
  })

  it("All wrong terms are named", () => {
    for (const readers of ["", "0", "-1", "1.5", "1e3", "10001", "9999999", "1 ", "٣", "x"])
      assert.deepStrictEqual(Object.keys(of({ readers })), ["readers"], readers)
    for (const until of ["2026-13-01", "2026-02-30", "26-01-01", "2026-01-01T00:00:00Z", "10000-01-01", "x"])
      assert.deepStrictEqual(Object.keys(of({ until })), ["until"], until)
    for (const label of ["x".repeat(81), "two\nlines", "\u0000", "\u200b"])
      assert.deepStrictEqual(Object.keys(of({ label })), ["label"], label)
    assert.deepStrictEqual(Object.keys(of({ label: "a\nb", readers: "", until: "x" })), [
      "label",
      "readers",
      "until"
    ])
  })

  it("Any form has terms of the API, or some of them are wrong", () => {
    const isRequest = Schema.is(Schema.toType(GiftRequest))
    const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.nat().map(String))
    fc.assert(
      fc.property(text, text, text, (label, readers, until) => {
        const asked = of({ label, readers, until })
        if ("postId" in asked) assert.isTrue(isRequest(asked))
        else assert.isAbove(Object.keys(asked).length, 0)
      })
    )
  })
})
