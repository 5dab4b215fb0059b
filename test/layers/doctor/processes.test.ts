import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Kdf, SecureRandom } from "effect/crypto"
import { ServerSecret } from "../../../layers/crypto/ServerSecret.ts"
import { holdLocks } from "../../../layers/processes/holdLocks.ts"
import { secretLocks, settingLocks } from "../../../layers/processes/settingLocks.ts"
import { freshDatabase } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { read } from "../config/problems.ts"
import { examined, states } from "./examined.ts"

const SERVER_SECRET = "a secret for the tests of the doctor"

/** A process with this environment, until the scope ends. */
const serving = Effect.fnUntraced(function* (url: Redacted.Redacted, env: Record<string, string>) {
  const secrets = yield* Effect.provide(secretLocks, ServerSecret.layer(Redacted.make(SERVER_SECRET))).pipe(
    Effect.provide([Kdf.layerWebCrypto, SecureRandom.layerWebCrypto])
  )
  yield* holdLocks(url, [...settingLocks(yield* read(env)), ...secrets])
})

describe("the doctor", () => {
  it.live("The doctor lists the processes, and the settings that differ from theirs", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_doctor_processes")
      const env = {
        DATABASE_URL: Redacted.value(url),
        PENNYPRESS_DATA: yield* temporaryDirectory,
        PUBLIC_BASE_URL: "https://press.invalid",
        SERVER_SECRET
      }
      const findings = (changes: Readonly<Record<string, string>> = {}) =>
        Effect.map(examined({ ...env, ...changes }), (of) => of("processes"))
      assert.deepStrictEqual(states(yield* findings()), ["ok"])

      yield* serving(url, env)
      const [live, ...faults] = yield* findings()
      assert.match(live?.said ?? "", /^One process is using the database: pennypress on \S+ since /)
      assert.isEmpty(faults)

      const other = yield* findings({
        PENNYPRESS_DATA: yield* temporaryDirectory,
        SERVER_SECRET: "another secret for the tests of the doctor",
        PUBLIC_BASE_URL: "https://other.invalid"
      })
      assert.deepStrictEqual(
        other.slice(1).map(({ said, state }) => [state, said.replace(/ (of|with) pennypress.*/, "")]),
        [
          ["fault", "The files differ from those"],
          ["fault", "PUBLIC_BASE_URL differs from that"],
          ["fault", "SERVER_SECRET shares no secret"]
        ]
      )
      assert.notInclude(JSON.stringify(other), "another secret")
      const rotating = `another secret for the tests of the doctor,${SERVER_SECRET}`
      assert.deepStrictEqual(states(yield* findings({ SERVER_SECRET: rotating })), ["ok"])

      yield* serving(url, env)
      const limits = (yield* findings()).slice(1)
      assert.deepStrictEqual(states(limits), ["warning"])
      assert.include(limits[0]?.said, "REDIS_URL")
    })
  )
})
