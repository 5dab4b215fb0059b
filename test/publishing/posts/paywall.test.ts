import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const paid = { paidContentMarkdown: "Paid", freeContentMarkdown: "Teaser", enablePaywall: true }
const quarter = "250000000000000000000000000000"

layer(service(database("test_posts_paywall")))("the paywall and its price (4.3.1, 4.3.2)", (it) => {
  it.effect("A paywall counts as false when paid content is missing or empty", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      for (const paidContentMarkdown of [undefined, null, "", " \n "]) {
        const { body } = yield* author.create({ ...paid, paidContentMarkdown, priceXno: "0.25" })
        assert.deepInclude(body, { enablePaywall: false, priceRaw: null, paidContentMarkdown: null })
      }
    })
  )

  it.effect("A price without an effective paywall is ignored and stored as null", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      for (const price of [
        { priceXno: "0.25" },
        { priceRaw: "1" },
        { priceXno: "free" },
        { priceXno: "1", priceRaw: "2" }
      ]) {
        const { body, status } = yield* author.create({ paidContentMarkdown: "x", ...price })
        assert.strictEqual(status, 201)
        assert.deepInclude(body, { enablePaywall: false, priceRaw: null })
      }
    })
  )

  it.effect("A price is named in XNO, in raw, or the same in both", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const prices: ReadonlyArray<readonly [object, string | null]> = [
        [{ priceXno: "0.25" }, quarter],
        [{ priceXno: "0.250000000" }, quarter],
        [{ priceRaw: quarter }, quarter],
        [{ priceXno: "0.25", priceRaw: quarter }, quarter],
        [{ priceXno: null, priceRaw: quarter }, quarter],
        [{ priceXno: "0.00001" }, "10000000000000000000000000"],
        [{ priceXno: "0.000011" }, "11000000000000000000000000"],
        [{ priceXno: "9999" }, `9999${"0".repeat(30)}`],
        [{ priceRaw: `9999${"0".repeat(30)}` }, `9999${"0".repeat(30)}`],
        [{ priceXno: null }, null],
        [{}, null]
      ]
      for (const [price, priceRaw] of prices) {
        const answer = yield* author.create({ ...paid, ...price })
        assert.strictEqual(answer.status, 201, answer.text)
        assert.deepInclude(answer.body, { enablePaywall: true, priceRaw }, JSON.stringify(price))
      }
    })
  )

  it.effect("Other prices are refused, with the rounded value in the message where there is one", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const prices: ReadonlyArray<readonly [object, string, string]> = [
        [
          { priceXno: "0.1234567" },
          "priceXno out_of_range",
          "0.123457 XNO (123457000000000000000000000000 raw)"
        ],
        [{ priceXno: "0.1234564" }, "priceXno out_of_range", "0.123456 XNO"],
        [{ priceRaw: "123456700000000000000000000000" }, "priceRaw out_of_range", "0.123457 XNO"],
        [{ priceXno: "0.000009" }, "priceXno out_of_range", "0.00001 XNO"],
        [{ priceRaw: "0" }, "priceRaw out_of_range", "0.00001 XNO"],
        [{ priceXno: "9999.000001" }, "priceXno out_of_range", "9999 XNO"],
        [{ priceRaw: "9".repeat(80) }, "priceRaw out_of_range", "9999 XNO"],
        [{ priceXno: "0.25", priceRaw: `${quarter}00000` }, "priceRaw out_of_range", "9999 XNO"],
        [{ priceXno: "0.0000001", priceRaw: quarter }, "priceXno out_of_range", "0.00001 XNO"],
        [{ priceXno: "0.26", priceRaw: quarter }, "priceRaw mismatch", "different prices"],
        ...["", "1e3", "-1", "+1", ".5", "1.", "01", "0x1", "1,5", " 1", "NaN"].map(
          (priceXno) => [{ priceXno }, "priceXno invalid", "plain decimal"] as const
        ),
        ...["", "-1", "1.0", "1e30", "007", "0x1", " 1"].map(
          (priceRaw) => [{ priceRaw }, "priceRaw invalid", "whole number"] as const
        )
      ]
      for (const [price, error, words] of prices) {
        const answer = yield* author.create({ ...paid, ...price })
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", error], JSON.stringify(price))
        assert.include(answer.body.errors[0].message, words)
      }
      const tooLong = yield* author.create({ ...paid, priceXno: "0".repeat(81) })
      assert.deepStrictEqual(refusalOf(tooLong), [422, "validation", "priceXno too_long"])
      assert.strictEqual((yield* author.create({ ...paid, priceXno: 0.25 })).status, 422)
      assert.strictEqual((yield* author.send("GET", "")).body.total, 0)
    })
  )

  it.effect("A patch keeps the price, changes it, and loses it with the paywall", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const { id } = yield* author.draft({ ...paid, priceXno: "0.25" })
      const patch = (body: object) => Effect.map(author.patch(id, body), (answer) => answer.body)
      assert.deepInclude(yield* patch({ title: "Other" }), { enablePaywall: true, priceRaw: quarter })
      assert.strictEqual((yield* patch({ priceXno: "0.5" })).priceRaw, `5${"0".repeat(29)}`)
      assert.deepInclude(yield* patch({ enablePaywall: false }), { enablePaywall: false, priceRaw: null })
      assert.deepInclude(yield* patch({ enablePaywall: true, priceRaw: quarter }), { priceRaw: quarter })
      assert.deepInclude(yield* patch({ priceRaw: null }), { enablePaywall: true, priceRaw: null })
      assert.deepInclude(yield* patch({ paidContentMarkdown: null, priceXno: "1" }), {
        enablePaywall: false,
        priceRaw: null
      })
    })
  )
})
