import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stateDirectory } from "../mcp/local/localEdition.ts"
import { PROGRAM } from "../mcp/local/svcMcp.ts"
import { started } from "../wire/server.ts"
import { killingProxy, type KillingProxy, type Moment } from "./killingProxy.ts"

const ROUNDS = Number(process.env["SVC_MCP_KILLS"] ?? 5)

const start = (origin: string, directory: string, args: ReadonlyArray<string>) =>
  spawn(process.execPath, [PROGRAM, "--origin", origin, "--state-dir", directory, ...args], {
    stdio: ["pipe", "pipe", "pipe"]
  })

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
}

const send = (child: ChildProcess, ...messages: ReadonlyArray<object>) =>
  child.stdin?.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""))

/** Calls one tool in a process of its own. Returns the result, or undefined when the process was killed. */
const called = async (child: ChildProcess, name: string, args: object, onSent = () => {}) => {
  const closed = once(child, "close")
  if (child.stdout === null) throw new Error("no output")
  child.stderr?.resume()
  child.stdin?.on("error", () => {})
  send(child, INITIALIZE, { jsonrpc: "2.0", method: "notifications/initialized" })
  send(child, { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: args } })
  onSent()
  let result: any
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line)
    if (message.id === 2) {
      result = message.result
      child.stdin?.end()
    }
  }
  await closed
  return result
}

/** Ends what a killed process leaves for its minute: the tests do not wait for it. */
const endLeases = (directory: string) => {
  const database = new DatabaseSync(join(directory, "state.db"), { timeout: 5_000 })
  database.exec("delete from leases; update intents set lease_owner = null, lease_ends_at = null")
  database.close()
}

const setUp = async (origin: string, directory: string, handle: string) => {
  const child = start(origin, directory, ["setup", "new-agent", "--name", "Agent Smith", "--handle", handle])
  let told = ""
  child.stderr.on("data", (chunk: Buffer) => (told += chunk.toString()))
  child.stdout.resume()
  child.stdin.end()
  await once(child, "close")
  return { status: child.exitCode, told, child }
}

const is = (method: string, path: RegExp) => (asked: string, url: string) =>
  asked === method && path.test(url)

const steps = {
  challenge: is("POST", /nano\/challenge$/),
  claim: is("POST", /nano\/claim$/),
  me: is("GET", /\/me$/),
  key: is("POST", /api-keys$/),
  profile: is("PATCH", /\/profile$/),
  payout: is("PUT", /payout-address$/),
  declaration: is("POST", /declare-agent$/),
  verification: is("GET", /v1\/profile$/)
} as const

/** Sets up an agent while a request kills the process. Returns the directory of the finished identity. */
const killedSetup = async (
  proxy: KillingProxy,
  directory: string,
  handle: string,
  picked: (method: string, path: string) => boolean,
  moment: Moment
) => {
  const child = start(proxy.origin, directory, [
    "setup",
    "new-agent",
    "--name",
    "Agent Smith",
    "--handle",
    handle
  ])
  child.stdin.end()
  child.stdout.resume()
  child.stderr.resume()
  proxy.arm({ picked, moment, kill: () => child.kill("SIGKILL") })
  await once(child, "close")
  assert.strictEqual(child.signalCode, "SIGKILL")
  endLeases(directory)
  const { status, told } = await setUp(proxy.origin, directory, handle)
  assert.strictEqual(status, 0, told)
}

/** Does something within about a second, at a moment that each run has anew. */
const later = (act: () => void) => {
  const [chance = 0] = crypto.getRandomValues(new Uint16Array(1))
  void sleep(300 + chance / 73).then(act)
}

const TEXT = { title: "Killed pennies", free_content_markdown: "One." }

describe("svc-mcp, killed with -9", () => {
  it.live("finishes a setup, whichever request it was killed at", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("services_svc_mcp_setup")
      const proxy = yield* killingProxy(origin)
      let number = 0
      for (const picked of Object.values(steps)) {
        for (const moment of ["before", "after"] as const) {
          const directory = yield* stateDirectory
          yield* Effect.promise(() => killedSetup(proxy, directory, `killed_${number++}`, picked, moment))
        }
      }
    })
  )

  it.live("has one effect of each write, whenever it was killed", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("services_svc_mcp_writes")
      const proxy = yield* killingProxy(origin)
      const directory = yield* stateDirectory
      yield* Effect.promise(async () => {
        const { status, told } = await setUp(proxy.origin, directory, "killed_writer")
        assert.strictEqual(status, 0, told)
        const serve = () => start(proxy.origin, directory, ["serve"])
        const again = async (name: string, args: object) => {
          endLeases(directory)
          const result = await called(serve(), name, args)
          assert.notStrictEqual(result?.isError, true, JSON.stringify(result))
          return result.structuredContent
        }
        let made = 0
        for (const moment of ["before", "after"] as const) {
          for (let round = 0; round < ROUNDS; round++) {
            const create = { ...TEXT, intent_id: crypto.randomUUID() }
            const creating = serve()
            const kill = (child: ChildProcess) => () => child.kill("SIGKILL")
            proxy.arm({ picked: is("POST", /v1\/posts$/), moment, kill: kill(creating) })
            assert.isUndefined(await called(creating, "svc_create_draft", create))
            const { draft } = await again("svc_create_draft", create)
            made++

            const update = {
              intent_id: crypto.randomUUID(),
              post_id: draft.id,
              revision: draft.revision,
              changes: { title: `Round ${round}, ${moment}` }
            }
            const updating = serve()
            proxy.arm({ picked: is("PATCH", /v1\/posts\//), moment, kill: kill(updating) })
            assert.isUndefined(await called(updating, "svc_update_draft", update))
            const changed = await again("svc_update_draft", update)
            assert.strictEqual(changed.draft.title, update.changes.title)

            // At any moment: before the intent is saved, between its phases, or when all is done.
            const random = { ...TEXT, intent_id: crypto.randomUUID() }
            const racing = serve()
            await called(racing, "svc_create_draft", random, () => later(kill(racing)))
            await again("svc_create_draft", random)
            made++
          }
        }
        const { total } = (await called(serve(), "svc_list_drafts", {})).structuredContent
        assert.strictEqual(total, made)
        const { operations } = (await called(serve(), "svc_operation", {})).structuredContent
        assert.lengthOf(operations, 0)
      })
    })
  )
})
