import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { EmbeddedPostgres } from "../../../layers/postgres/embedded/EmbeddedPostgres.ts"
import { writableUrl } from "../../../layers/postgres/writableHost.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { unavailableDependency } from "../../../src/platform/sql/unavailable.ts"
import { emptyDatabase, freshDatabase, pool, urlOf } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { eventually } from "../../support/eventually.ts"
import { fastSettings } from "../../support/fastSettings.ts"
import { makeReadOnly, makeWritable } from "../../support/readOnly.ts"
import { silentProxy } from "./silentProxy.ts"

const partsOf = (url: Redacted.Redacted) => new URL(Redacted.value(url))

/** A second server beside that of the run, which takes the same login. */
class Second extends Context.Service<Second, { readonly url: Redacted.Redacted }>()(
  "pennypress/test/layers/postgres/writableHost.test/Second"
) {
  static readonly layer = Layer.effect(
    Second,
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const context = yield* Layer.build(EmbeddedPostgres.layer({ dataDirectory, settings: fastSettings }))
      const { url } = Context.get(context, EmbeddedPostgres)
      // A server that trusts everyone needs no password, and takes any.
      const password = partsOf(urlOf("postgres")).password || partsOf(url).password
      const sql = yield* PgClient.make({ url, maxConnections: 1 })
      yield* sql`alter user postgres password ${sql.literal(`'${password}'`)}`.unprepared
      const same = new URL(Redacted.value(url))
      same.password = password
      return { url: Redacted.make(same.href) }
    }).pipe(Effect.provide(Reactivity.layer), onRealClock, Effect.orDie)
  )
}

/** Joins URLs that differ in their hosts alone. */
const several = (first: Redacted.Redacted, ...others: ReadonlyArray<Redacted.Redacted>) => {
  const parts = partsOf(first)
  const hosts = [first, ...others].map((url) => partsOf(url).host)
  return Redacted.make(Redacted.value(first).replace(parts.host, hosts.join(",")))
}

/** A database of this name on each of the two servers. */
const twoDatabases = Effect.fnUntraced(function* (name: string) {
  const second = yield* Second
  const own = partsOf(yield* freshDatabase(name))
  own.password = partsOf(second.url).password
  const first = Redacted.make(own.href)
  const other = yield* emptyDatabase(name, { server: Redacted.value(second.url) })
  return { first, second: other, both: several(first, other) }
})

const chosen = (url: Redacted.Redacted) =>
  onRealClock(Effect.map(writableUrl(url), (one) => partsOf(one).port))

const nowhere = Redacted.make("postgres://postgres@127.0.0.1:1/none")

layer(Second.layer)("a URL of several hosts", (it) => {
  it.effect("The first host that takes writes is used, past dead, silent and read-only ones", () =>
    Effect.gen(function* () {
      const { both, first, second } = yield* twoDatabases("test_writable_order")
      const [one, two] = [partsOf(first).port, partsOf(second).port]
      assert.strictEqual(yield* chosen(both), one)
      assert.strictEqual(yield* chosen(several(second, first)), two)
      assert.strictEqual(yield* chosen(several(second, nowhere)), two)
      const silent = yield* silentProxy(first)
      yield* silent.silence
      const past = several(first, second)
      const hosts = `${partsOf(nowhere).host},${partsOf(silent.url).host},${partsOf(first).host}`
      assert.strictEqual(
        yield* chosen(Redacted.make(Redacted.value(past).replace(/@[^/]+/, `@${hosts}`))),
        one
      )
      yield* makeReadOnly("test_writable_order")
      assert.strictEqual(yield* chosen(both), two)
      yield* makeWritable("test_writable_order")
      assert.strictEqual(yield* chosen(both), one)
    })
  )

  it.effect("A URL without a host that takes writes says why, without its login", () =>
    Effect.gen(function* () {
      const { first } = yield* twoDatabases("test_writable_none")
      yield* makeReadOnly("test_writable_none")
      const error = yield* Effect.flip(chosen(several(first, nowhere)))
      assert.strictEqual(unavailableDependency(error), "database")
      assert.include(error.message, "does not accept writes")
      assert.notInclude(String(error), partsOf(first).password)
      // The same for one host that has to be writable.
      const asked = Redacted.make(`${Redacted.value(first)}?target_session_attrs=read-write`)
      assert.strictEqual(unavailableDependency(yield* Effect.flip(chosen(asked))), "database")
      assert.strictEqual(yield* chosen(first), partsOf(first).port)
    })
  )

  it.effect("A pool leaves a server that became read-only, and returns to none but a writable one", () =>
    Effect.gen(function* () {
      const name = "test_writable_pool"
      const { both, first, second } = yield* twoDatabases(name)
      const context = yield* Layer.build(pool(both, { maxConnections: 2 }))
      const sql = Context.get(context, SqlClient.SqlClient)
      const port = Effect.map(
        sql<{ readonly port: string }>`select current_setting('port') as port`,
        ([row]) => row?.port
      )
      const isAt = (url: Redacted.Redacted) =>
        eventually(
          `port ${partsOf(url).port}`,
          Effect.map(Effect.option(port), (at) => at._tag === "Some" && at.value === partsOf(url).port)
        )
      yield* isAt(first)
      yield* makeReadOnly(name)
      yield* isAt(second)
      yield* sql`create table chores (id int)`
      yield* sql.withTransaction(sql`insert into chores values (1)`)
      assert.deepStrictEqual(yield* sql`select id from chores`, [{ id: 1 }])
      // Both are read-only: nothing is read from a host that takes no writes.
      yield* sql`alter database ${sql(name)} set default_transaction_read_only = on`.unprepared
      yield* Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`)
      const refused = yield* Effect.flip(port)
      assert.strictEqual(unavailableDependency(refused), "database")
      yield* makeWritable(name)
      yield* isAt(first)
    })
  )
})
