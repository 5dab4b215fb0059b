import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import * as ExchangeRateHttp from "../../../layers/web/ExchangeRateHttp.ts"
import { exchangeRateSourceOf } from "../../../layers/web/exchangeRateSource.ts"
import { ExchangeRate } from "../../../src/platform/ports/ExchangeRate.ts"
import { eventually } from "../../support/eventually.ts"
import { listening } from "../../support/listening.ts"

/** A service of rates that gives this answer. Returns its address, and the number of requests that it got. */
const rates = Effect.fnUntraced(function* (status: number, body: string) {
  let asked = 0
  const server = createServer((_, response) => {
    asked++
    response
      .writeHead(status, { "content-type": "application/json", location: "http://127.0.0.1:1/" })
      .end(body)
  })
  const port = yield* listening(server)
  return { url: `http://127.0.0.1:${port}/price?ids=nano`, asked: () => asked }
})

const rateOf = (url: string, pointer: string) =>
  Effect.map(
    Layer.build(ExchangeRateHttp.layer({ url, pointer, currency: "USD" })),
    (context) => Context.get(context, ExchangeRate).current
  )

describe("the source of a rate", () => {
  it("A source is a rate, or a document and the member in it", () => {
    assert.deepStrictEqual(exchangeRateSourceOf("0.85 USD"), Option.some({ perXno: 0.85, currency: "USD" }))
    assert.deepStrictEqual(
      exchangeRateSourceOf("https://rates.test/a?b=c#/nano/usd EUR"),
      Option.some({ url: "https://rates.test/a?b=c", pointer: "/nano/usd", currency: "EUR" })
    )
    for (const text of [
      "",
      "0 USD",
      "-1 USD",
      "1e3 USD",
      "0.85",
      "0.85 XYZ",
      "0.85 usd",
      "http://rates.test/#/usd USD",
      "https://rates.test/ USD",
      "https://user:secret@rates.test/#/usd USD",
      "https://#/usd USD"
    ])
      assert.isTrue(Option.isNone(exchangeRateSourceOf(text)), text)
  })
})

describe("a rate over HTTP", () => {
  it.live("A rate is the member that the pointer names, as a number or as text", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ nano: { usd: 0.85, "a/b": ["x", "1.5"] } })
      const { url } = yield* rates(200, body)
      for (const [pointer, perXno] of [
        ["/nano/usd", 0.85],
        ["/nano/a~1b/1", 1.5]
      ] as const) {
        const rate = yield* rateOf(url, pointer)
        yield* eventually(
          "the rate is there",
          Effect.map(rate, (it) => it?.perXno === perXno)
        )
        const found = yield* rate
        assert.strictEqual(found?.currency, "USD")
        assert.instanceOf(found?.at, Date)
      }
    })
  )

  it.live("A document without a price gives no rate, and breaks nothing", () =>
    Effect.gen(function* () {
      for (const [status, body, pointer] of [
        [200, "{}", "/usd"],
        [200, '{"usd":0}', "/usd"],
        [200, '{"usd":"x"}', "/usd"],
        [200, "no JSON", "/usd"],
        [200, `{"usd":1,"more":"${"x".repeat(300_000)}"}`, "/usd"],
        [302, '{"usd":1}', "/usd"],
        [500, '{"usd":1}', "/usd"],
        [200, '{"usd":1}', "/toString"]
      ] as const) {
        const { asked, url } = yield* rates(status, body)
        const rate = yield* rateOf(url, pointer)
        yield* eventually(
          "the document is fetched",
          Effect.sync(() => asked() > 0)
        )
        assert.isUndefined(yield* rate, body.slice(0, 20))
      }
    })
  )
})
