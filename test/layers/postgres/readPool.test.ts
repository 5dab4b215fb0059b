import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DependencyUnavailable } from "../../../src/platform/ports/DependencyUnavailable.ts"
import { ReadPool } from "../../../src/platform/ports/ReadPool.ts"
import { asSearch } from "../../../src/platform/sql/asSearch.ts"
import { authorOf } from "../../support/actors/author.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

/** A pool over one database, with reads from another one. `server` names the database that a read reached. */
const reading = Effect.fnUntraced(function* (name: string, second?: Redacted.Redacted) {
  const logged: Array<string> = []
  const url = yield* freshDatabase(name)
  const readUrl = second ?? (yield* freshDatabase(`${name}_second`))
  const context = yield* Layer.build(
    Layer.fresh(pool(url, { readUrl, searchTimeoutMillis: 500 })).pipe(
      Layer.provideMerge(Logger.layer([Logger.map(Logger.formatSimple, (line) => void logged.push(line))]))
    )
  )
  const sql = Context.get(context, SqlClient.SqlClient)
  const server = Effect.map(sql<{ readonly it: string }>`select current_database() as it`, ([row]) =>
    row?.it === name ? "first" : "second"
  )
  /** Fails on the second database alone. */
  const failing = Effect.orDie(
    sql`select 1 / (case when current_database() = ${name} then 1 else 0 end) as one`
  )
  const { run } = Context.get(context, ReadPool)
  return {
    failing,
    logged,
    run: <A, E>(read: Effect.Effect<A, E>) => Effect.provideContext(run(read), context),
    server,
    sql
  }
})

describe("the pool of reads", () => {
  it.effect("A read runs on the second database, and a transaction within it on the first", () =>
    Effect.gen(function* () {
      const { run, server, sql } = yield* reading("test_read_pool")
      assert.strictEqual(yield* run(server), "second")
      assert.strictEqual(yield* run(asSearch(server)), "second")
      assert.strictEqual(yield* server, "first")
      assert.strictEqual(yield* run(sql.withTransaction(server)), "first")
    })
  )

  it.effect("A read that fails runs on the first database, as do all others for five seconds", () =>
    Effect.gen(function* () {
      const { failing, logged, run, server } = yield* reading("test_read_pool_fails")
      assert.strictEqual(yield* run(server), "second")
      assert.deepStrictEqual(yield* run(failing), [{ one: 1 }])
      assert.strictEqual(yield* run(server), "first")
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual(yield* run(server), "first")
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* run(failing), [{ one: 1 }])
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* run(server), "second")
      yield* run(server)
      const about = logged.filter((line) => line.includes("DATABASE_READ_URL"))
      assert.lengthOf(about, 2)
      assert.include(about[0], "failed: reading from DATABASE_URL instead")
      assert.include(about[1], "answers again")
    })
  )

  it.effect("A second database that cannot be reached keeps no process from its start or its reads", () =>
    Effect.gen(function* () {
      const nowhere = Redacted.make("postgres://a:s3cret@127.0.0.1:1/none")
      const { logged, run, server } = yield* reading("test_read_pool_nowhere", nowhere)
      assert.deepStrictEqual(yield* Effect.all([run(server), run(server)], { concurrency: 2 }), [
        "first",
        "first"
      ])
      assert.notInclude(logged.join(), "s3cret")
    })
  )

  it.effect("An answer to the reader and a search that takes too long are not repeated", () =>
    Effect.gen(function* () {
      const { run, server, sql } = yield* reading("test_read_pool_answers")
      let times = 0
      const counted = Effect.andThen(
        server,
        Effect.sync(() => void times++)
      )
      const refused = Effect.flip(run(Effect.andThen(counted, Effect.fail("not found"))))
      assert.strictEqual(yield* refused, "not found")
      const slow = yield* Effect.exit(
        run(Effect.andThen(counted, Effect.orDie(asSearch(sql`select pg_sleep(60)`))))
      )
      assert.isTrue(Exit.isFailure(slow) && Cause.squash(slow.cause) instanceof DependencyUnavailable)
      assert.strictEqual(times, 2)
      assert.strictEqual(yield* run(server), "second")
    })
  )

  it.effect("Search, related posts, leaderboards and sitemaps read from it, and nothing else does", () =>
    Effect.gen(function* () {
      const [url, readUrl] = yield* Effect.all([
        freshDatabase("test_read_pool_kinds"),
        freshDatabase("test_read_pool_kinds_second")
      ])
      const context = yield* Layer.build(
        Layer.fresh(service(pool(url, { readUrl }), 1, { holdsNewAccounts: false }))
      )
      const { send } = Context.get(context, TestClient)
      const author = yield* Effect.provideContext(authorOf(1), context)
      const { id } = yield* author.published({ title: "A second database" })
      // The second database is empty: what it answers lacks the post.
      const shows = (path: string) => Effect.map(send("GET", path), ({ text }) => text.includes(id))
      for (const path of ["/api/posts", "/api/posts?categoryId=3", `/api/posts/${id}`])
        assert.isTrue(yield* shows(path), path)
      for (const path of ["/api/posts?q=second", "/search?q=second"]) assert.isFalse(yield* shows(path), path)
      const { status } = yield* send("GET", `/api/posts/${id}/related`)
      assert.strictEqual(status, 404)
      assert.notInclude((yield* send("GET", "/sitemaps/posts.xml")).text, "/a-second-database")
      const second = Context.get(yield* Layer.build(pool(readUrl)), SqlClient.SqlClient)
      yield* second`drop table leaderboard_rows`
      const before = yield* send("GET", "/api/leaderboards?board=creator_sales")
      assert.strictEqual(before.status, 200)
      // Its first error moved the reads to the first database.
      assert.isTrue(yield* shows("/api/posts?q=database"))
    })
  )
})
