import { spawn } from "node:child_process"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stateDirectory } from "../mcp/local/localEdition.ts"
import { endLeases } from "../mcp/local/stateFile.ts"
import { PROGRAM } from "../mcp/local/svcMcp.ts"
import { soak } from "../support/soak.ts"
import { started } from "../wire/server.ts"
import { killingProxy, type KillingProxy, type Moment } from "./killingProxy.ts"

const start = (origin: string, directory: string, args: ReadonlyArray<string>) =>
  spawn(process.execPath, [PROGRAM, "--origin", origin, "--state-dir", directory, ...args], {
    stdio: ["pipe", "pipe", "pipe"]
  })

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

/** In the short form, requests take turns: the process is killed before one and after the next. */
const TURNS = soak(2, 1)

describe("svc-mcp, killed with -9", () => {
  it.live("A setup finishes after a kill at any of its requests", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("services_svc_mcp_setup")
      const proxy = yield* killingProxy(() => origin)
      let number = 0
      for (const [step, picked] of Object.values(steps).entries()) {
        for (const [at, moment] of (["before", "after"] as const).entries()) {
          if ((step + at) % TURNS !== 0) continue
          const directory = yield* stateDirectory
          yield* Effect.promise(() => killedSetup(proxy, directory, `killed_${number++}`, picked, moment))
        }
      }
    })
  )
})
