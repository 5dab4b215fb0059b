import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Kdf, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { ServerSecret } from "../../../layers/crypto/ServerSecret.ts"
import * as LiveProcesses from "../../../layers/processes/LiveProcesses.ts"
import * as ObjectStorageMemory from "../../../layers/testing/ObjectStorageMemory.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { examined, states } from "./examined.ts"

const SERVER_SECRET = "a secret for the tests of the doctor"
const PUBLIC_BASE_URL = "https://press.invalid"

/** A live process with these settings, whose store is another one. */
const serving = (url: Redacted.Redacted) =>
  LiveProcesses.layer({ release: "0.1.0", baseUrl: PUBLIC_BASE_URL, ledger: null, redis: null }).pipe(
    Layer.provide([ServerSecret.layer(Redacted.make(SERVER_SECRET)), pool(url), ObjectStorageMemory.layer]),
    Layer.provide([Kdf.layerWebCrypto, SecureRandom.layerWebCrypto]),
    (layer) => Layer.build(Layer.fresh(layer))
  )

describe("the doctor", () => {
  it.live("The doctor lists the live processes, and what keeps another one from joining them", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_doctor_processes")
      const DATABASE_URL = Redacted.value(url)
      const found = (env: Readonly<Record<string, string>>) =>
        Effect.map(examined({ DATABASE_URL, SERVER_SECRET, PUBLIC_BASE_URL, ...env }), (of) =>
          of("processes")
        )
      assert.deepStrictEqual(states(yield* found({})), ["ok"])

      yield* serving(url)
      const [live, store] = yield* found({})
      assert.match(live?.said ?? "", /^One process serves the database now: \S+ \(release 0\.1\.0, since /)
      assert.strictEqual(store?.state, "fault")
      assert.match(store?.said ?? "", /^S3_URL or PENNYPRESS_DATA /)

      const other = yield* found({
        SERVER_SECRET: "another secret for the tests of the doctor",
        PUBLIC_BASE_URL: "https://other.invalid"
      })
      assert.deepStrictEqual(
        other.slice(1).map(({ said, state }) => [state, said.split(" ", 1)[0]]),
        [
          ["fault", "PUBLIC_BASE_URL"],
          ["fault", "SERVER_SECRET"],
          ["fault", "S3_URL"]
        ]
      )
      assert.notInclude(JSON.stringify(other), "another secret")

      const limits = Effect.map(found({}), (all) => all.filter(({ said }) => said.includes("REDIS_URL")))
      assert.isEmpty(yield* limits)
      yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`
          insert into processes select gen_random_uuid(), host, release, started_at, seen_at, base_url, secrets, ledger, redis, has_marker
          from processes`
      ).pipe(Effect.provide(pool(url)))
      assert.deepStrictEqual(states(yield* limits), ["warning"])
    })
  )
})
