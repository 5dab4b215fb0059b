import { execFile } from "node:child_process"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as StateStoreSqlite from "../../../../layers/local/StateStoreSqlite.ts"
import { RAW_PER_XNO } from "../../../../schemas/platform/Nano.ts"
import { makeDemoWallet } from "../../../../src/bin/demoWallet.ts"
import { StateStore } from "../../../../src/mcp/local/ports/StateStore.ts"
import { saveMeta } from "../../../../src/mcp/local/state/meta.sql.ts"
import { walletOf } from "../../../../src/mcp/local/wallet/wallet.ts"
import { killingProxy, type KillingProxy } from "../../../services/killingProxy.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { clientOf } from "../../../support/httpClient.ts"
import { TestClient } from "../../../support/TestClient.ts"
import { started as startedService } from "../../../wire/server.ts"
import { stateDirectory } from "../localEdition.ts"
import { endLeases, rowsOf, secretOf } from "../stateFile.ts"
import { PROGRAM } from "../svcMcp.ts"
import { allowAll } from "./crashing.ts"
import { type ToolProcess, toolProcess } from "./toolProcess.ts"
import type { Writer } from "./writer.ts"
import { writes } from "./writes.ts"

/** Keeps every process from writing to a state directory, until the returned function is called. */
const locked = (directory: string) => {
  const database = new DatabaseSync(join(directory, "state.db"), { timeout: 5_000 })
  database.exec("begin immediate")
  return () => {
    database.exec("rollback")
    database.close()
  }
}

/** An identity at a running service, and the program that acts for it. */
export interface Account {
  readonly writer: Writer
  readonly proxy: KillingProxy
  /** Sends to the service past the proxy. */
  readonly client: TestClient["Service"]
  readonly started: () => ToolProcess
}

/** Sets up an agent by the program, with money of the development ledger and every permission. */
export const makeAccount = Effect.fnUntraced(function* (number: number) {
  const directory = yield* stateDirectory
  let origin = ""
  const proxy = yield* killingProxy(() => origin)
  // The service knows itself by the address of the proxy, for which payments are signed.
  const environment = { SCANNER: "none", PUBLIC_BASE_URL: proxy.origin }
  origin = (yield* startedService(`test_mcp_kills_${number}`, {}, environment)).origin
  const run = (...args: ReadonlyArray<string>) =>
    Effect.promise(() =>
      promisify(execFile)(process.execPath, [
        PROGRAM,
        "--origin",
        proxy.origin,
        "--state-dir",
        directory,
        ...args
      ])
    )
  yield* run("setup", "new-agent", "--name", "A writer", "--handle", `writer_${number}`)
  const { ownerId } = yield* StateStore.use((store) =>
    store.write((tx) =>
      Effect.sync(() => {
        saveMeta(tx, "nano-rpc", `${proxy.origin}/dev/nano`)
        return allowAll(tx, proxy.origin)
      })
    )
  ).pipe(Effect.provide(StateStoreSqlite.layer({ directory, origin: proxy.origin })))
  const wallet = walletOf(Redacted.make(secretOf(directory, "wallet-seed")))
  const demo = yield* makeDemoWallet(origin, wallet, (http) => http)
  yield* demo.fund(RAW_PER_XNO)
  const client = clientOf(origin)
  const stranger = yield* authorOf(900 + number).pipe(Effect.provideService(TestClient, client))

  const running = new Set<ToolProcess>()
  const started = () => {
    const process = toolProcess(proxy.origin, directory)
    running.add(process)
    return process
  }
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...running].map(({ kill }) => kill()))))
  const keeper = started()
  const account = { action: "account_info", account: wallet.account, representative: "true" }
  const writer: Writer = {
    directory,
    ownerId,
    stranger,
    wallet: client
      .send("POST", "/dev/nano", { body: account })
      .pipe(
        Effect.map(({ body }) => ({ blocks: Number(body.block_count), balanceRaw: BigInt(body.balance) }))
      ),
    workOff: Effect.void,
    call: (tool, args) =>
      Effect.promise(async () => {
        const result = await answered(() => keeper.call(tool, args))
        assert.isFalse(result.isError === true, `${tool}: ${JSON.stringify(result)}`)
        return result.structuredContent
      })
  }
  return { writer, proxy, started, client } satisfies Account as Account
})

/** Repeats a call while its failure says that it may be repeated: the service is still busy with the killed one. */
const answered = async (call: () => Promise<any>) => {
  for (let tries = 0; ; tries++) {
    const result = await call()
    const mayRepeat = result?.isError === true && /"retryable":true/.test(result.content[0].text)
    if (!mayRepeat || tries === 40) return result
    await sleep(250)
  }
}

type Kill = (tool: string, account: Account, victim: ToolProcess, args: object) => Promise<void>

/** Kills a process that has a tool to call, at the request that has the effect. */
const atEffect =
  (moment: "after" | "before"): Kill =>
  async (tool, { proxy }, victim, args) => {
    const { isEffect: picked } = writes[tool]!
    proxy.arm({ picked, moment, kill: () => void victim.kill() })
    assert.isUndefined(await victim.call(tool, args), "it was not killed")
  }

/** The moments of a tool at which its process is killed. */
export const phases = {
  "before the intent is on the disk": async (tool, { writer }, victim, args) => {
    await victim.ready
    const unlock = locked(writer.directory)
    const answer = victim.call(tool, args)
    await sleep(100)
    await victim.kill()
    assert.isUndefined(await answer)
    unlock()
    assert.lengthOf(rowsOf(writer.directory, "select id from intents where phase <> 'complete'"), 0)
  },
  "before the request arrives": atEffect("before"),
  "after the service has done it": atEffect("after"),
  "with the answer, before it is saved": async (tool, { proxy, writer }, victim, args) => {
    const { isEffect: picked } = writes[tool]!
    let unlock = () => {}
    const hold = () => (unlock = locked(writer.directory))
    proxy.arm({ picked, moment: "answered", hold, kill: () => void victim.kill() })
    assert.isUndefined(await victim.call(tool, args), "it was not killed")
    unlock()
    assert.lengthOf(rowsOf(writer.directory, "select id from intents where phase <> 'complete'"), 1)
  },
  "after the answer is saved": async (tool, { writer }, victim, args) => {
    const result = await answered(() => victim.call(tool, args))
    assert.isFalse(result?.isError === true, JSON.stringify(result))
    await victim.kill()
    assert.lengthOf(rowsOf(writer.directory, "select id from intents where phase <> 'complete'"), 0)
  },
  "at any moment": async (tool, _, victim, args) => {
    await victim.ready
    const [chance = 0] = crypto.getRandomValues(new Uint8Array(1))
    const answer = victim.call(tool, args)
    await sleep(chance)
    await victim.kill()
    await answer
  }
} as const satisfies Readonly<Record<string, Kill>>
export type Phase = keyof typeof phases

let numbers = 0

/** Kills a process in a phase of a tool. Another process brings about the effect, which the service has once. */
export const killed = Effect.fnUntraced(function* (
  account: Account,
  tool: string,
  phase: Phase,
  victim: ToolProcess
) {
  const { proxy, writer } = account
  const { args, check } = yield* writes[tool]!.prepare(writer, ++numbers)
  const intent = { intent_id: crypto.randomUUID(), ...args }
  yield* Effect.promise(async () => {
    await phases[phase](tool, account, victim, intent)
    await proxy.idle()
    endLeases(writer.directory)
  })
  const result = yield* writer.call(tool, intent)
  if (phase === "after the answer is saved") assert.isTrue(result.operation.replayed)
  yield* check(result)
  assert.lengthOf(rowsOf(writer.directory, "select id from intents where phase <> 'complete'"), 0)
})
