import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CategoryId } from "../../../schemas/platform/Ids.ts"
import { movePublishedCounts } from "../../../src/publishing/posts/publishedCounts.sql.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

const MOVES = 3000

describe("counts of published Posts", () => {
  it.effect("Concurrent moves are all counted", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_published_counts")
      const clients = processes.map((process) => Context.get(process, SqlClient.SqlClient))
      const post = (n: number) => ({
        primary_category_id: CategoryId.make(1 + (n % 3)),
        secondary_category_id: CategoryId.make(1 + ((n + 1) % 3)),
        enable_paywall: n % 2 === 0
      })
      const sql = clients[0]!
      yield* sql`create table moves (n integer primary key, done boolean not null default false)`
      yield* sql`insert into moves select generate_series(0, ${MOVES - 1}::integer)`
      yield* Effect.forEach(
        Array.from({ length: MOVES }, (_, n) => n),
        Effect.fnUntraced(function* (n) {
          const sql = clients[n % 2]!
          yield* Effect.gen(function* () {
            yield* sql`select from moves where n = ${n} for no key update`
            // Inside of a larger statement, as Posts are published.
            const counted = movePublishedCounts(sql, [], [post(n)])
            yield* sql`with counted as (${counted}) update moves set done = true from counted where n = ${n}`
            // Makes the moments of the moves less even.
            if (n % 3 === 0) yield* sql`select 1`
          }).pipe(sql.withTransaction)
        }),
        { concurrency: 40 }
      )
      const counted = yield* sql`
          select sum(posts)::integer as posts, sum(for_sale)::integer as for_sale, sum(by_category[1])::integer as first,
            sum(by_category[2])::integer as second, sum(by_category[3])::integer as third
          from published_post_counts`
      const each = (MOVES * 2) / 3
      assert.deepStrictEqual(counted, [
        { posts: MOVES, for_sale: MOVES / 2, first: each, second: each, third: each }
      ])
    })
  )

  it.effect("An edit that keeps the categories moves nothing, and a swap changes no count", () =>
    Effect.gen(function* () {
      const [process] = yield* twoAssemblies("test_published_counts_same")
      const sql = Context.get(process, SqlClient.SqlClient)
      const [three, four] = [CategoryId.make(3), CategoryId.make(4)]
      const before = { primary_category_id: three, secondary_category_id: four, enable_paywall: false }
      const after = { ...before, primary_category_id: four, secondary_category_id: three }
      assert.isUndefined(movePublishedCounts(sql, [before], [before]))
      assert.isUndefined(movePublishedCounts(sql, [before], [after]))
    })
  )
})
