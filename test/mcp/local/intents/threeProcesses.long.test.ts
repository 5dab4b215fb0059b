import { execFile } from "node:child_process"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { killingProxy, type KillingProxy } from "../../../services/killingProxy.ts"
import { soak } from "../../../support/soak.ts"
import { TestClient } from "../../../support/TestClient.ts"
import { started } from "../../../wire/server.ts"
import { stateDirectory } from "../localEdition.ts"
import { endLeases, rowsOf } from "../stateFile.ts"
import { PROGRAM } from "../svcMcp.ts"
import { type Account, makeAccount } from "./killing.ts"
import type { ToolProcess } from "./toolProcess.ts"
import { writes } from "./writes.ts"

const ROUNDS = soak(1, 3, 20)
const HOUR = 3_600_000

/** Counts the requests of a kind from now on. */
const counted = (proxy: KillingProxy, isKind: (method: string, path: string) => boolean) => {
  let count = 0
  proxy.arm({
    picked: (method, path) => {
      if (isKind(method, path)) count++
      return false
    },
    moment: "before",
    kill: () => {}
  })
  return () => count
}

const threeOf = async ({ started }: Account): Promise<ReadonlyArray<ToolProcess>> => {
  const processes = [started(), started(), started()]
  await Promise.all(processes.map(({ ready }) => ready))
  return processes
}

let numbers = 0

/** Calls a tool in three processes at once, by one intent. One of them does it, and the service has one effect. */
const raced = Effect.fnUntraced(function* (
  account: Account,
  processes: ReadonlyArray<ToolProcess>,
  tool: string
) {
  const { writer } = account
  const { args, check } = yield* writes[tool]!.prepare(writer, ++numbers)
  const intent = { intent_id: crypto.randomUUID(), ...args }
  const answers = yield* Effect.promise(() => Promise.all(processes.map(({ call }) => call(tool, intent))))
  const failures = answers.filter(({ isError }) => isError === true)
  for (const { content } of failures) assert.include(content[0].text, '"intent-in-progress"')
  const done = answers.filter(({ isError }) => isError !== true).map((it) => it.structuredContent)
  assert.isAtLeast(done.length, 1)
  assert.lengthOf(
    done.filter(({ operation }) => operation.replayed === false),
    1
  )
  endLeases(writer.directory)
  const result = yield* writer.call(tool, intent)
  assert.isTrue(result.operation.replayed)
  yield* check(result)
})

describe("three processes of svc-mcp", () => {
  it.live(
    "Three processes have one effect for one intent, and send one renewal",
    () =>
      Effect.gen(function* () {
        const account = yield* makeAccount(50)
        const { directory } = account.writer
        const processes = yield* Effect.promise(() => threeOf(account))
        for (const tool of Object.keys(writes)) {
          for (let round = 0; round < ROUNDS; round++) {
            yield* raced(account, processes, tool).pipe(Effect.provideService(TestClient, account.client))
          }
        }
        for (let round = 0; round < ROUNDS; round++) {
          rowsOf(directory, "update credentials set expires_at = 1 where name = 'access-token'")
          const renewals = counted(account.proxy, (_, path) => path.endsWith("/auth/refresh"))
          const answers = yield* Effect.promise(() =>
            Promise.all(processes.map(({ call }) => call("svc_notifications", {})))
          )
          for (const { content, isError } of answers) assert.isFalse(isError === true, content[0].text)
          assert.strictEqual(renewals(), 1)
        }
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    HOUR
  )

  it.live(
    "Three processes make one identity for one setup",
    () =>
      Effect.gen(function* () {
        const { origin } = yield* started("test_mcp_three_setups")
        const proxy = yield* killingProxy(() => origin)
        for (let round = 0; round < ROUNDS; round++) {
          const directory = yield* stateDirectory
          const claims = counted(proxy, (_, path) => path.endsWith("/nano/claim"))
          const place = ["--origin", proxy.origin, "--state-dir", directory]
          const setup = (name: string) =>
            new Promise<readonly [number, string]>((resolve) => {
              const words = [PROGRAM, ...place, "setup", "new-agent", "--name", "Agent", "--handle", name]
              execFile(process.execPath, words, (error, _, log) =>
                resolve([error === null ? 0 : Number(error.code), log])
              )
            })
          const ends = yield* Effect.promise(() =>
            Promise.all(["a", "b", "c"].map((it) => setup(`${it}_setup_${round}`)))
          )
          assert.lengthOf(
            ends.filter(([code]) => code === 0),
            1,
            JSON.stringify(ends)
          )
          for (const [code, log] of ends) {
            if (code !== 0) assert.match(log, /intent-in-progress|identity-already-selected/)
          }
          assert.strictEqual(claims(), 1)
          const [setupRow] = rowsOf(directory, "select status from setup")
          assert.strictEqual(setupRow?.["status"], "complete")
          assert.lengthOf(rowsOf(directory, "select owner_id from identity"), 1)
        }
      }),
    HOUR
  )
})
