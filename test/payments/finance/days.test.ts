import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { payerOf } from "../../support/actors/payer.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { PRICE_RAW, sellerOf } from "../settlement/paying.ts"
import { paid } from "./selling.ts"

const NAME = "test_finance_days"

/** A database whose sessions are in New York, as an operator's may be. */
const inNewYork = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase(NAME)
    const zoned = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`alter database ${sql(NAME)} set timezone to 'America/New_York'`.unprepared
    )
    yield* Effect.scoped(Effect.provide(zoned, pool(url)))
    return pool(url)
  })
).pipe(Layer.orDie)

layer(service(inNewYork))("the days of finances", (it) => {
  it.effect("A day is one of UTC in any time zone of the database, even when its clocks change", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`show timezone`, [{ TimeZone: "America/New_York" }])
      // New York's clocks go forward on 8 March 2026.
      yield* TestClock.setTime(Date.UTC(2026, 2, 8, 23, 59, 59, 999))
      const { another, author, payTo, target } = yield* sellerOf(1)
      const payer = yield* payerOf(2)
      yield* payer.fund()
      const first = yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      yield* TestClock.adjust("1 milli")
      const second = yield* paid(payer, { target: yield* another, payTo, amountRaw: PRICE_RAW })

      const read = (path: string) =>
        client.send("GET", `/api/v1/finance/${path}`, { token: author.accessToken })
      const periods: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["from=2026-03-08&to=2026-03-09", [first.id]],
        ["from=2026-03-09&to=2026-03-10", [second.id]],
        ["to=2026-03-08", []],
        ["from=2026-03-10", []],
        ["from=0001-01-01&to=9999-12-31", [second.id, first.id]],
        ["from=2026-03-09&to=2026-03-09", []],
        ["from=2026-03-10&to=2026-03-08", []]
      ]
      for (const [query, ids] of periods) {
        const { data } = (yield* read(`sales?${query}`)).body
        assert.deepStrictEqual(
          data.map(({ id }: { readonly id: string }) => id),
          ids,
          query
        )
        assert.strictEqual((yield* read(`summary?${query}`)).body.sales.count, ids.length, query)
        const lines = (yield* read(`export.csv?${query}`)).text.trimEnd().split("\r\n")
        assert.deepStrictEqual(
          lines.slice(1).map((line) => line.split(",")[2] ?? ""),
          [...ids],
          query
        )
      }
      assert.strictEqual((yield* read(`sales/${first.id}`)).body.confirmedAt, "2026-03-08T23:59:59.999000Z")
      for (const query of [
        "from=2026-02-29",
        "from=0000-12-31",
        "to=10000-01-01",
        "from=2026-3-8",
        "from="
      ]) {
        for (const path of ["sales", "tips", "summary", "export.csv"]) {
          assert.strictEqual((yield* read(`${path}?${query}`)).status, 422, `${path}?${query}`)
        }
      }
    })
  )

  it.effect("A title in an export is never taken for a formula", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { author, payTo, postId, target } = yield* sellerOf(11)
      const payer = yield* payerOf(12)
      yield* payer.fund()
      const hostile = `=cmd|' /C calc'!A0;@SUM(1),"x"`
      yield* author.patch(postId, { title: hostile })
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      const { text } = yield* client.send("GET", "/api/v1/finance/export.csv", { token: author.accessToken })
      assert.include(text, `,"'=cmd|' /C calc'!A0;'@SUM(1),""x""",`)
    })
  )
})
