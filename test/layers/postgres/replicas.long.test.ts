import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Logger, Metric, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { lagMillisOf } from "../../../layers/postgres/replicas.ts"
import { Replicas } from "../../../src/platform/ports/Replicas.ts"
import { asSearch } from "../../../src/platform/sql/asSearch.ts"
import { unavailableDependency } from "../../../src/platform/sql/unavailable.ts"
import { authorOf } from "../../support/actors/author.ts"
import { pool } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { listening } from "../../support/listening.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { primaryAndStandby } from "../../wire/ownPostgres.ts"
import { examined, states } from "../doctor/examined.ts"
import { silentProxy } from "./silentProxy.ts"

/** A client of one server, as its administrator. */
const administrator = (url: string) =>
  Effect.provide(PgClient.make({ url: Redacted.make(url), maxConnections: 2 }), Reactivity.layer)

let processes = 0

const makeServers = Effect.gen(function* () {
  const { primary, standby } = yield* primaryAndStandby
  const proxy = yield* silentProxy(Redacted.make(standby.url))
  return {
    primary,
    standby,
    proxy,
    url: Redacted.make(primary.url),
    /** The standby as a new process knows it: under a name of its own, through a proxy that can fall silent. */
    replica: Effect.sync(() => ({ name: `standby of ${++processes}`, url: proxy.url })),
    onPrimary: yield* administrator(primary.url),
    onStandby: yield* administrator(standby.url)
  }
}).pipe(Effect.orDie)

class Servers extends Context.Service<Servers, Effect.Success<typeof makeServers>>()(
  "pennypress/test/layers/postgres/replicas.long.test/Servers"
) {}

const pause = Effect.flatMap(Servers, ({ onStandby }) => onStandby`select pg_wal_replay_pause()`)
const resume = Effect.flatMap(Servers, ({ onStandby }) => onStandby`select pg_wal_replay_resume()`)

/** Adds up a metric of the servers whose name begins like this; 0 before the first value. */
const metric = (name: string, server: string) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const found = metrics.filter(
      ({ attributes, id }) => id === name && attributes?.["server"]?.startsWith(server) === true
    )
    return found.reduce(
      (sum, { state }) => sum + Number("count" in state ? state.count : "value" in state ? state.value : 0),
      0
    )
  })

/** Runs an effect. Returns its result, and how many reads each server got meanwhile. */
const counting = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const both = Effect.all([metric("public_reads_total", "primary"), metric("public_reads_total", "standby")])
  const [primary, standby] = yield* both
  const result = yield* effect
  const after = yield* both
  return { result, primary: after[0] - primary, standby: after[1] - standby }
})

/** Waits until a replica is used (1), or left out (0). */
const isUsed = (name: string, value: number) =>
  eventually(
    `${name} at ${value}`,
    Effect.map(metric("database_replica_used", name), (used) => used === value)
  )

/** A pool with a replica, and reads from it that name no position. */
const reading = Effect.gen(function* () {
  const { url, ...servers } = yield* Servers
  const replica = yield* servers.replica
  const context = yield* Layer.build(
    Layer.fresh(pool(url, { replicas: [replica], searchTimeoutMillis: 500 }))
  )
  const becomes = (value: number) => isUsed(replica.name, value)
  yield* becomes(1)
  const sql = Context.get(context, SqlClient.SqlClient)
  const replicas = Context.getOrElse(context, Replicas, () => assert.fail("no replicas"))
  return {
    sql,
    becomes,
    lag: metric("database_replica_lag_seconds", replica.name),
    read: <A, E, R>(
      read: Effect.Effect<A, E, R>,
      options: { readonly atLeast?: bigint | undefined; readonly isCurrent?: boolean } = {}
    ) => {
      const { atLeast, isCurrent } = { atLeast: 0n, isCurrent: true, ...options }
      return replicas.read(atLeast, read, () => isCurrent)
    }
  }
})

/** Returns the dependency that an effect missed. */
const missed = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) ? unavailableDependency(Cause.squash(exit.cause)) : undefined

/** A position that no server reaches. */
const NEVER = 1n << 60n

/** Returns true when the standby answers. */
const isStandby = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ readonly it: boolean }>`select pg_is_in_recovery() as it`, ([row]) => row?.it)

it("The lag is the age of the oldest position that a replica lacks, and an idle primary gives none", () => {
  const samples = [
    { at: 1_000, position: 10n },
    { at: 2_000, position: 20n },
    { at: 3_000, position: 30n }
  ]
  assert.deepStrictEqual(
    [30n, 29n, 20n, 10n, 0n].map((position) => lagMillisOf(samples, position, 9_000)),
    [0, 6_000, 6_000, 7_000, 8_000]
  )
  assert.strictEqual(lagMillisOf([], 0n, 9_000), 0)
})

/** Builds one process of the service over the servers. */
const process = Effect.fnUntraced(function* (seed: number) {
  const { url, ...servers } = yield* Servers
  const replica = yield* servers.replica
  const database = pool(url, { signals: true, replicas: [replica] })
  const context = yield* Layer.build(Layer.fresh(service(database, seed, { isAlone: false })))
  yield* isUsed(replica.name, 1)
  return { context, client: Context.get(context, TestClient) }
})

/** Returns the ids of the newest posts, as anyone reads them. */
const newest = ({ client }: Effect.Success<ReturnType<typeof process>>) =>
  Effect.map(client.send("GET", "/api/posts"), ({ body }): ReadonlyArray<string> =>
    body.data.map(({ id }: { readonly id: string }) => id)
  )

layer(Layer.effect(Servers, makeServers), { excludeTestServices: true })("a replica", (it) => {
  it.effect("A read runs on the replica, and a transaction within it on the primary", () =>
    Effect.gen(function* () {
      const { read, sql } = yield* reading
      assert.isTrue(yield* read(isStandby(sql)))
      assert.isTrue(yield* read(asSearch(isStandby(sql))))
      assert.isFalse(yield* isStandby(sql))
      assert.isFalse(yield* read(isStandby(sql), { atLeast: undefined }))
      assert.isFalse(yield* read(sql.withTransaction(isStandby(sql))))
      const again = yield* counting(read(isStandby(sql), { isCurrent: false }))
      assert.deepStrictEqual(again, { result: false, primary: 1, standby: 1 })
    })
  )

  it.effect("A read without statements chooses no server and waits for none", () =>
    Effect.gen(function* () {
      const { read } = yield* reading
      const none = yield* counting(read(Effect.succeed("text"), { atLeast: NEVER }))
      assert.deepStrictEqual(none, { result: "text", primary: 0, standby: 0 })
    })
  )

  it.effect("A read that no replica can show in time runs on the primary after a tenth of a second", () =>
    Effect.gen(function* () {
      const { read, sql } = yield* reading
      const began = performance.now()
      const early = yield* Effect.replicateEffect(read(isStandby(sql), { atLeast: NEVER }), 10, {
        concurrency: "unbounded"
      })
      const millis = performance.now() - began
      assert.deepStrictEqual(
        early,
        Array.from({ length: 10 }, () => false)
      )
      assert.isTrue(millis > 90, `${millis} ms`)
    })
  )

  it.effect("An answer to the reader is not repeated, and a fault of the server is", () =>
    Effect.gen(function* () {
      const { read, sql } = yield* reading
      const refused = yield* counting(read(Effect.flip(Effect.andThen(isStandby(sql), Effect.fail("404")))))
      assert.deepStrictEqual(refused, { result: "404", primary: 0, standby: 1 })
      const slow = Effect.orDie(asSearch(sql`select pg_sleep(60)`))
      const stopped = yield* counting(Effect.exit(read(slow)))
      assert.strictEqual(missed(stopped.result), "search")
      assert.deepStrictEqual([stopped.primary, stopped.standby], [0, 1])

      // Fails on a standby as nothing else does.
      const write = Effect.orDie(sql`create table if not exists written (id int)`)
      assert.deepInclude(yield* counting(read(write)), { primary: 1, standby: 1 })
      const shown = Effect.orDie(sql`select * from only_on_primary`)
      yield* pause
      yield* sql`create table only_on_primary (id int)`
      const missing = yield* counting(read(shown))
      yield* resume
      assert.deepStrictEqual(missing, { result: [], primary: 1, standby: 1 })
    })
  )

  it.effect("A read that replay cancels is repeated on the primary", () =>
    Effect.gen(function* () {
      const { read, sql } = yield* reading
      const { onStandby } = yield* Servers
      const configured = (change: string) =>
        Effect.andThen(onStandby.unsafe(change).unprepared, onStandby`select pg_reload_conf()`)
      yield* configured("alter system set max_standby_streaming_delay = '100ms'")
      yield* sql`create table if not exists conflicting as select 1 as id`
      const slow = sql`
        select pg_is_in_recovery() as it, pg_sleep(case when pg_is_in_recovery() then 0.8 else 0 end) is null
        from conflicting`
      yield* eventually(
        "the table",
        Effect.map(
          onStandby`select from pg_tables where tablename = 'conflicting'`,
          (rows) => rows.length > 0
        )
      )
      const conflict = Effect.andThen(
        eventually(
          "the read",
          Effect.map(
            onStandby`select from pg_stat_activity where query like '%from conflicting%' and state = 'active'
              and pid <> pg_backend_pid()`,
            (rows) => rows.length > 0
          )
        ),
        sql`alter table conflicting add column if not exists more int`
      )
      const { primary, result, standby } = yield* counting(
        Effect.all([read(slow), conflict], { concurrency: "unbounded" })
      )
      yield* configured("alter system reset max_standby_streaming_delay")
      assert.deepInclude(result[0][0], { it: false })
      assert.deepStrictEqual([primary, standby], [1, 1])
      assert.isTrue(yield* read(isStandby(sql)), "the replica is there")
    })
  )

  it.effect("Searches that fill a replica leave it to other reads", () =>
    Effect.gen(function* () {
      const { read, sql } = yield* reading
      const slow = read(asSearch(sql`select pg_sleep(case when pg_is_in_recovery() then 60 else 0 end)`))
      const flood = Effect.replicateEffect(Effect.exit(slow), 12, { concurrency: "unbounded" })
      const [ends] = yield* Effect.all(
        [
          flood,
          Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), read(isStandby(sql))), {
            times: 50,
            while: (it) => it === true
          }).pipe(Effect.map((last) => assert.isTrue(last)))
        ],
        { concurrency: "unbounded" }
      )
      assert.isAbove(ends.filter((end) => missed(end) === "search").length, 3)
      assert.isTrue(yield* read(isStandby(sql)))
    })
  )

  it.effect("A silent replica costs a reader about a second, is left out, and comes back", () =>
    Effect.gen(function* () {
      const { becomes, read, sql } = yield* reading
      const { proxy } = yield* Servers
      yield* proxy.silence
      const began = performance.now()
      const [one, search] = yield* Effect.all([read(isStandby(sql)), read(asSearch(isStandby(sql)))], {
        concurrency: "unbounded"
      })
      const millis = performance.now() - began
      assert.deepStrictEqual([one, search], [false, false])
      // A busy machine may be late. The deadline of the primary would be a minute.
      assert.isBelow(millis, 20_000)
      yield* becomes(0)
      assert.deepInclude(yield* counting(read(isStandby(sql))), { result: false, standby: 0 })
      yield* proxy.forward
      yield* becomes(1)
      yield* eventually(
        "a read",
        Effect.map(read(isStandby(sql)), (it) => it === true)
      )
    })
  )

  it.effect("A stopped replica fails no read, and is used again when it is back", () =>
    Effect.gen(function* () {
      const { becomes, read, sql } = yield* reading
      const { replica, standby, url } = yield* Servers
      yield* standby.stop("SIGQUIT")
      const answers = yield* Effect.replicateEffect(read(isStandby(sql)), 20, { concurrency: 5 })
      assert.notInclude(answers, true)
      yield* becomes(0)
      // A process that starts meanwhile does not wait for it.
      yield* Layer.build(Layer.fresh(pool(url, { replicas: [yield* replica] })))
      yield* standby.start
      yield* becomes(1)
      yield* eventually(
        "a read",
        Effect.map(read(isStandby(sql)), (it) => it === true)
      )
    })
  )

  it.effect("A cold public read comes from the replica, and a kept one from no server", () =>
    Effect.gen(function* () {
      const it = yield* process(1)
      const author = yield* Effect.provideContext(authorOf(1), it.context)
      const { id } = yield* author.published()
      const path = `/api/posts/${id}`
      yield* eventually(
        "a read on the replica",
        Effect.map(
          counting(it.client.send("GET", `${path}?n=${performance.now()}`)),
          ({ standby }) => standby > 0
        )
      )
      const paths = [
        "/api/posts?per_page=3",
        "/",
        "/rss.xml",
        "/sitemap.xml",
        "/api/posts?q=post",
        "/.well-known/x402/posts"
      ]
      for (const path of paths) {
        const cold = yield* counting(it.client.send("GET", path))
        assert.strictEqual(cold.result.status, 200, path)
        assert.deepStrictEqual([cold.primary, cold.standby], [0, 1], path)
        const kept = yield* counting(it.client.send("GET", path))
        assert.deepStrictEqual([kept.primary, kept.standby], [0, 0], path)
      }
      const gone = yield* counting(it.client.send("GET", "/api/posts/00000000-0000-4000-8000-000000000000"))
      assert.deepStrictEqual([gone.result.status, gone.primary, gone.standby], [404, 0, 1])
    })
  )

  it.effect("Private reads and reads about money never reach the replica", () =>
    Effect.gen(function* () {
      const it = yield* process(2)
      const author = yield* Effect.provideContext(authorOf(1), it.context)
      const { id } = yield* author.published()
      yield* eventually(
        "a read on the replica",
        Effect.map(
          counting(it.client.send("GET", `/api/posts?per_page=${(Date.now() % 50) + 1}`)),
          ({ standby }) => standby > 0
        )
      )
      const spent = yield* counting(
        Effect.gen(function* () {
          for (const path of [
            "/api/leaderboards?board=creator_sales",
            "/leaderboards",
            `/api/posts/${id}/tip-activities`,
            `/api/posts/${id}/attachments`,
            "/api/profile/handle-availability?handle=somebody",
            `/api/posts/${id}/access`
          ]) {
            const { result, standby } = yield* counting(it.client.send("GET", path))
            assert.deepStrictEqual([result.status, standby], [200, 0], path)
          }
          yield* author.read(id)
          yield* author.draft()
          yield* it.client.send("GET", `/api/posts/${id}`, { token: author.accessToken })
        })
      )
      assert.strictEqual(spent.standby, 0)
    })
  )

  it.effect(
    "A read after a write shows it, in its process and soon in the other, however late the replica is",
    () =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([process(3), process(4)])
        const author = yield* Effect.provideContext(authorOf(1), one.context)
        const both = yield* counting(
          Effect.gen(function* () {
            for (let round = 0; round < 20; round++) {
              const { id } = yield* author.published()
              assert.include(yield* newest(one), id)
              yield* eventually(
                "the post through the other",
                Effect.map(newest(other), (ids) => ids.includes(id))
              )
            }
          })
        )
        assert.isAbove(both.standby, 0)
        yield* pause
        const late = yield* author.published()
        const paused = yield* counting(newest(one))
        assert.include(paused.result, late.id)
        assert.strictEqual(paused.standby, 0)
        yield* eventually(
          "the post through the other",
          Effect.map(newest(other), (ids) => ids.includes(late.id))
        )
        yield* resume
        yield* eventually(
          "a read on the replica",
          Effect.gen(function* () {
            const { id } = yield* author.published()
            yield* Effect.sleep("20 millis")
            const { result, standby } = yield* counting(newest(one))
            assert.include(result, id)
            return standby > 0
          })
        )
      })
  )

  it.effect("The doctor says of each replica whether it can be read from", () =>
    Effect.gen(function* () {
      const { onPrimary, primary, standby } = yield* Servers
      yield* onPrimary`create role pennypress login password 'of-tests'`
      const of = (url: string) => url.replace(/\/\/[^@]*@/u, "//pennypress:of-tests@")
      const urls = [
        of(standby.url),
        of(primary.url),
        `${of(standby.url).replace(/\w+$/, "template1")}`,
        "postgres://a:s3cret@127.0.0.1:1/none"
      ]
      const env = {
        DATABASE_URL: of(primary.url),
        DATABASE_REPLICA_URLS: urls.join(),
        SERVER_SECRET: "s".repeat(32)
      }
      const examine = Effect.map(examined(env), (found) => found("replicas"))
      yield* eventually(
        "the role",
        Effect.map(examine, ([first]) => first?.state === "ok")
      )
      const found = yield* examine
      assert.deepStrictEqual(states(found), ["ok", "ok", "fault", "fault"])
      assert.match(found[0]!.said, /^127\.0\.0\.1:\d+ is a standby/)
      assert.match(found[1]!.said, /is the primary now/)
      assert.match(found[2]!.said, /is no standby of this database/)
      assert.match(found[3]!.said, /^127\.0\.0\.1:1 does not answer/)
      assert.notMatch(JSON.stringify(found), /s3cret|of-tests/)
    })
  )

  it.effect("A replica that is more than five seconds behind is left out, and comes back", () =>
    Effect.gen(function* () {
      const { becomes, lag, read, sql } = yield* reading
      yield* pause
      yield* sql`create table behind (id int)`
      const { primary, standby } = yield* Servers
      const silent = yield* listening(createServer())
      const env = {
        DATABASE_URL: primary.url,
        DATABASE_REPLICA_URLS: `${standby.url}, postgres://127.0.0.1:${silent}/postgres`,
        PUBLIC_CACHE_MB: "0",
        SERVER_SECRET: "s".repeat(32)
      }
      const [found] = yield* Effect.all([examined(env), becomes(0)], { concurrency: "unbounded" })
      assert.deepStrictEqual(states(found("replicas")), ["warning", "warning", "fault"])
      assert.match(found("replicas")[0]!.said, /PUBLIC_CACHE_MB is 0/)
      assert.match(found("replicas")[1]!.said, /lacks \d+ bytes/)
      assert.match(found("replicas")[2]!.said, /does not answer/)
      assert.isAbove(yield* lag, 5)
      assert.deepInclude(yield* counting(read(isStandby(sql))), { result: false, standby: 0 })
      yield* resume
      yield* becomes(1)
      assert.strictEqual(yield* lag, 0)
    })
  )

  it.effect("A replica that was promoted is left out", () =>
    Effect.gen(function* () {
      const { becomes, read, sql } = yield* reading
      const { onStandby } = yield* Servers
      yield* onStandby`select pg_promote()`
      yield* becomes(0)
      assert.deepInclude(yield* counting(read(isStandby(sql))), { result: false, primary: 1, standby: 0 })
    })
  )

  it.effect("A former primary with changes of its own is left out", () =>
    Effect.gen(function* () {
      const { onPrimary, primary, standby } = yield* Servers
      yield* onPrimary`create table of_its_own as select generate_series(1, 100000) as id`
      yield* primary.stop("SIGINT")
      writeFileSync(join(primary.data, "standby.signal"), "")
      yield* primary.start
      const logged: Array<string> = []
      const replica = { name: "former", url: Redacted.make(primary.url) }
      yield* Layer.build(
        Layer.fresh(pool(Redacted.make(standby.url), { replicas: [replica] })).pipe(
          Layer.provide(Logger.layer([Logger.map(Logger.formatSimple, (line) => void logged.push(line))]))
        )
      )
      yield* eventually(
        "a word about it",
        Effect.sync(() => logged.some((line) => line.includes("former")))
      )
      assert.include(logged.join(), "The replica former is left out: it has changes that the primary lacks")
    })
  )
})
