import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { WordFrequencies } from "../../../src/publishing/discovery/WordFrequencies.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

/** The known words, with the transaction that wrote each. */
const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ readonly word: string; readonly frequency: number; readonly writer: string }>`
      select word, frequency, xmin::text as writer from word_frequencies order by word`
)
const analyze = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`analyze posts`)
const sweep = Effect.flatMap(WordFrequencies, (frequencies) => frequencies.sweep)

const frequencyOf = (word: string) =>
  Effect.map(rows, (all) => all.find((row) => row.word === word)?.frequency)

layer(service(database("test_discovery_word_frequencies")))("frequencies of words", (it) => {
  it.effect("are none before PostgreSQL has analyzed the Posts, and follow each analysis", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sweep
      assert.deepStrictEqual(yield* rows, [])

      const author = yield* authorOf(1)
      for (const title of ["Quinces", "Quinces in Norway"])
        yield* author.published({ title, description: "x" })
      yield* analyze
      yield* sweep
      assert.strictEqual(yield* frequencyOf("quinc"), 1)
      assert.strictEqual(yield* frequencyOf("norway"), 0.5)
      const kept = yield* rows
      assert.isTrue(kept.every(({ word }) => word !== null))

      yield* sweep
      assert.deepStrictEqual(yield* rows, kept, "nothing is written twice")

      yield* author.published({ title: "Medlars", description: "x" })
      yield* sql`update posts set title = 'Quinces alone' where title = 'Quinces in Norway'`
      yield* analyze
      yield* sweep
      assert.strictEqual(yield* frequencyOf("norway"), undefined)
      assert.closeTo((yield* frequencyOf("quinc")) ?? 0, 2 / 3, 0.001)
    })
  )

  it.effect("are the same after two processes took them over at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sweep
      const expected = (yield* rows).map(({ frequency, word }) => ({ word, frequency }))
      yield* sql`delete from word_frequencies`
      yield* sql`insert into word_frequencies (word, frequency) values ('forgotten', 0.5), ('quinc', 0.1)`
      yield* Effect.all([sweep, sweep, sweep], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        (yield* rows).map(({ frequency, word }) => ({ word, frequency })),
        expected
      )
    })
  )
})
