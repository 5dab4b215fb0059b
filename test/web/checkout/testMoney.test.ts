import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as NanoLedgerDevelopment from "../../../layers/nano/NanoLedgerDevelopment.ts"
import { lookSoon } from "../../payments/sessions/sessionWorld.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { LOCAL, service, type ServiceOptions } from "../../support/TestClient.ts"
import { browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"

const development: ServiceOptions = {
  changePorts: (ports) => Layer.merge(ports, NanoLedgerDevelopment.layer)
}

layer(service(database("test_reading_test_money"), 1, development))("test money", (it) => {
  it.effect("A button pays with test money on the machine of a development ledger", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const paid = { paidContentMarkdown: "Paid", enablePaywall: true, priceXno: "0.25" }
      const { id } = yield* author.published(paid)
      const reader = yield* browser
      const path = (yield* reader.post(`/read/${id}/buy`)).headers.get("location")!
      const stranger = yield* reader.get(path)
      assert.notInclude(stranger.text, "test money")
      assert.strictEqual((yield* reader.post(`${path}/test-money`)).status, 404)
      yield* lookSoon
      assert.strictEqual((yield* reader.get(path)).status, 200)

      reader.comesFrom(LOCAL)
      const page = yield* reader.get(path)
      validated(page.text)
      assert.include(page.text, "Pay with test money")
      const sent = yield* reader.post(`${path}/test-money`)
      assert.deepStrictEqual([sent.status, sent.headers.get("location")], [303, path], sent.text)
      yield* lookSoon
      assert.strictEqual((yield* reader.get(path)).headers.get("location"), `/read/${id}#rest`)
      assert.include((yield* reader.get(`/read/${id}`)).text, "<p>Paid</p>")
    })
  )
})
