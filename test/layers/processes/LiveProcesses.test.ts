import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Metric, Redacted, Scope } from "effect"
import { Kdf, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { ServerSecret } from "../../../layers/crypto/ServerSecret.ts"
import * as LiveProcesses from "../../../layers/processes/LiveProcesses.ts"
import { ObjectStorageMemory } from "../../../layers/testing/ObjectStorageMemory.ts"
import * as Stores from "../../../layers/testing/ObjectStorageMemory.ts"
import type { ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { NEW, OLD } from "../crypto/serverSecrets.ts"

const BEAT_MILLIS = 100
/** A machine under load may not run a process for seconds. */
const LIVE_MILLIS = 30_000

/** Settings of a process, and its store. */
interface Machine {
  readonly baseUrl?: string
  readonly secret?: string
  readonly ledger?: string | null
  readonly redis?: string | null
  readonly liveMillis?: number
  readonly store: Layer.Layer<ObjectStorage | ObjectStorageMemory>
}

const aStore = Effect.map(Layer.build(Layer.fresh(Stores.layer)), (built) => Layer.succeedContext(built))

/** Starts a process over a database. It ends with the scope, or as by a crash with `killed`. */
const started = (url: Redacted.Redacted, { store, ...machine }: Machine) => {
  const secret = ServerSecret.layer(Redacted.make(machine.secret ?? OLD))
  return LiveProcesses.layer({
    release: "0.1.0",
    baseUrl: machine.baseUrl ?? "https://press.example",
    ledger: machine.ledger ?? null,
    redis: machine.redis ?? null,
    beatMillis: BEAT_MILLIS,
    liveMillis: machine.liveMillis ?? LIVE_MILLIS
  }).pipe(
    Layer.provide([secret, pool(url), store]),
    Layer.provide([Kdf.layerWebCrypto, SecureRandom.layerWebCrypto]),
    (layer) => Layer.build(Layer.fresh(layer))
  )
}

/** Returns the sentence with which a start is refused; undefined for one that succeeds. */
const refusal = (url: Redacted.Redacted, machine: Machine) =>
  started(url, machine).pipe(
    Effect.as(undefined),
    Effect.catchTag("ProcessesDiffer", ({ message }) => Effect.succeed(message))
  )

const rowsOf = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<{
      readonly id: string
      readonly secrets: ReadonlyArray<string>
    }>`select * from processes`
  }).pipe(Effect.provide(pool(url)), Effect.scoped)

const changing = (
  url: Redacted.Redacted,
  change: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>
) => Effect.flatMap(SqlClient.SqlClient, change).pipe(Effect.provide(pool(url)), Effect.scoped)

const test = (title: string, run: Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(title, () => Effect.scoped(run))

describe("live processes", () => {
  test(
    "Processes with the same settings and the same store serve one database together",
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_processes_same")
      const store = yield* aStore
      yield* started(url, { store })
      assert.isUndefined(yield* refusal(url, { store }))
      assert.isUndefined(yield* refusal(url, { store, redis: "redis:6379" }))
      assert.strictEqual((yield* rowsOf(url)).length, 3)
    })
  )

  test(
    "A process with another setting is refused by one sentence that names the setting",
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_processes_differences")
      const store = yield* aStore
      const ledger = "nodes of nano:mainnet"
      yield* started(url, { store, ledger })
      const wrong = {
        PUBLIC_BASE_URL: { store, ledger, baseUrl: "https://other.example" },
        SERVER_SECRET: { store, ledger, secret: NEW },
        S3_URL: { store: yield* aStore, ledger },
        NANO_LEDGER: { store, ledger: "the development ledger" }
      }
      for (const [setting, machine] of Object.entries(wrong)) {
        const said = yield* refusal(url, machine)
        assert.match(said ?? "", new RegExp(`^${setting} [^\n]+, or stop that process first\\.$`), setting)
        assert.notInclude(said ?? "", NEW)
        assert.notInclude(said ?? "", OLD)
      }
      // Neither a row nor an object is left of those.
      assert.strictEqual((yield* rowsOf(url)).length, 1)
      const { objects } = yield* Effect.provide(ObjectStorageMemory, store)
      assert.strictEqual((yield* objects).size, 1)
      assert.isUndefined(yield* refusal(url, { store, ledger: null }))
    })
  )

  test(
    "A rotation of the secret in three steps goes through a rolling restart, and one that skips a step does not",
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_processes_rotation")
      const store = yield* aStore
      const steps = [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`, NEW]
      for (const [n, secret] of steps.entries())
        for (const [m, other] of steps.entries()) {
          const scope = yield* Scope.make()
          yield* Scope.provide(started(url, { store, secret }), scope)
          const said = yield* Effect.scoped(refusal(url, { store, secret: other }))
          yield* Scope.close(scope, Exit.void)
          if (Math.abs(n - m) < 2) assert.isUndefined(said, `${n} and ${m}`)
          else assert.match(said ?? "", /^SERVER_SECRET /, `${n} and ${m}`)
        }
    })
  )

  test(
    "Of two different processes that start at the same time, exactly one serves",
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_processes_race")
      for (let round = 0; round < 5; round++) {
        const [one, other] = [yield* aStore, yield* aStore]
        const scope = yield* Scope.make()
        const all = [{ store: one }, { store: other }, { store: one, baseUrl: "https://other.example" }]
        const said = yield* Effect.forEach(all, (machine) => refusal(url, machine), { concurrency: 3 }).pipe(
          Scope.provide(scope)
        )
        assert.strictEqual(said.filter((it) => it === undefined).length, 1, said.join("\n"))
        assert.strictEqual((yield* rowsOf(url)).length, 1)
        yield* Scope.close(scope, Exit.void)
      }
    })
  )

  test(
    "A process that crashed refuses none of those that follow",
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_processes_crash")
      const [store, other] = [yield* aStore, yield* aStore]
      yield* Effect.scoped(started(url, { store }))
      assert.isEmpty(yield* rowsOf(url))
      // The row of a process that died a moment ago.
      const die = changing(
        url,
        (sql) => sql`
          insert into processes (id, host, release, started_at, seen_at, base_url, secrets, has_marker)
          values (gen_random_uuid(), 'here', '0.1.0', clock_timestamp(), clock_timestamp(), 'https://press.example', '{}', true)`
      )
      yield* die
      const next = { store: other, liveMillis: 500 }
      assert.isUndefined(yield* refusal(url, { ...next, baseUrl: "https://other.example", secret: NEW }))
      yield* changing(
        url,
        (sql) => sql`update processes set seen_at = seen_at - interval '2 hours' where host = 'here'`
      )
      yield* Effect.repeat(rowsOf(url), { until: (rows) => rows.length === 1 })
    })
  )

  test(
    "A row that was deleted comes back with the next sign of life",
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_processes_back")
      const store = yield* aStore
      yield* started(url, { store })
      const [row] = yield* rowsOf(url)
      yield* changing(url, (sql) => sql`delete from processes`)
      yield* Effect.repeat(rowsOf(url), { until: (rows) => rows[0]?.id === row?.id })
    })
  )

  test(
    "A store that does not answer refuses no start, and the gauge counts the live processes",
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_processes_store_away")
      const store = yield* aStore
      yield* started(url, { store })
      const { failNext } = yield* Effect.provide(ObjectStorageMemory, store)
      yield* failNext("put", 1)
      yield* failNext("stat", 1)
      assert.isUndefined(yield* refusal(url, { store }))
      const gauge = Metric.gauge("processes_live", {
        description: "Processes that serve the database of this one, with it"
      })
      yield* Effect.repeat(Metric.value(gauge), { until: ({ value }) => value === 2 })
    })
  )

  test(
    "The hashes of a secret differ from process to process",
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_processes_hashes")
      const store = yield* aStore
      yield* started(url, { store })
      yield* started(url, { store })
      const hashes = (yield* rowsOf(url)).flatMap(({ secrets }) => secrets)
      assert.strictEqual(new Set(hashes).size, 2)
    })
  )
})
