import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RAW_PER_XNO } from "../../schemas/platform/Nano.ts"
import { stateDirectory } from "../mcp/local/localEdition.ts"
import { endLeases, rowsOf } from "../mcp/local/stateFile.ts"
import { PROGRAM } from "../mcp/local/svcMcp.ts"
import { walletOf } from "../support/actors/owner.ts"
import { started } from "../wire/server.ts"
import { killingProxy, type KillingProxy, type Moment } from "./killingProxy.ts"
import { programOf } from "./svcMcpProgram.ts"

/** Asks the development ledger of a service. */
const asked = async (origin: string, body: object): Promise<any> => {
  const answer = await fetch(`${origin}/dev/nano`, { method: "POST", body: JSON.stringify(body) })
  return answer.json()
}

const word = (text: string) => `'${text}'`

/**
 * Runs a command in a terminal, types back what is asked for, and kills the process at a request. The process itself is
 * killed, not its terminal.
 */
const killedAt = async (
  proxy: KillingProxy,
  directory: string,
  command: ReadonlyArray<string>,
  action: string,
  moment: Moment
) => {
  const pidFile = join(directory, "..", "pid")
  const words = [process.execPath, PROGRAM, "--origin", proxy.origin, "--state-dir", directory, ...command]
  const line = `echo $$ > ${word(pidFile)}; exec ${words.map(word).join(" ")}`
  const child = spawn("script", ["-qec", line, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] })
  let shown = ""
  let isKilled = false
  // The request that follows the confirmation, if the command asks for one.
  const isMeant = () => command[1] !== "send" || shown.includes("to allow this")
  let isTyped = false
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk.toString()
    const [, text] = /Type (\S+) to allow this/.exec(shown) ?? []
    if (text === undefined || isTyped) return
    isTyped = true
    child.stdin.write(`${text}\r`)
  })
  proxy.arm({
    picked: (_, path, __, body) => isMeant() && path === "/dev/nano" && body.includes(`"action":"${action}"`),
    moment,
    kill: () => {
      isKilled = true
      process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL")
    }
  })
  await once(child, "close")
  assert.isTrue(isKilled, `${action} ${moment}: ${shown}`)
  await proxy.idle()
}

/** Requests of the wallet around a block: the look at its confirmation, its work, and the block itself. */
const ACTIONS = ["block_info", "work_generate", "process"] as const

describe("svc-mcp wallet, killed with -9", () => {
  it.live(
    "A wallet that is killed at any request moves its money once",
    () =>
      Effect.gen(function* () {
        let target = ""
        const proxy = yield* killingProxy(() => target)
        const { origin } = yield* started("services_wallet_kills", {}, { PUBLIC_BASE_URL: proxy.origin })
        target = origin
        const directory = yield* stateDirectory
        const program = programOf(PROGRAM, proxy.origin, directory)
        yield* program.run("setup", "new-agent", "--name", "Agent", "--handle", "killed_wallet")
        yield* program.run("status", "--set-nano-rpc", `${proxy.origin}/dev/nano`)
        const status = yield* program.run("status")
        const { address }: { address: string } = JSON.parse(status.output).wallet
        const { account: to } = walletOf(977)
        const ask = (body: object) => Effect.promise(() => asked(origin, body))
        const money = Effect.gen(function* () {
          const { balance = "0" } = yield* ask({ action: "account_info", account: address })
          const { blocks } = yield* ask({ action: "receivable", account: to, count: "100", threshold: "1" })
          const sent = Object.values<string>(blocks === "" ? {} : blocks)
          return { balance: BigInt(balance), sent: sent.reduce((sum, raw) => sum + BigInt(raw), 0n) }
        })
        const send = ["wallet", "send", "--to", to, "--amount", "0.1"]
        const tenth = RAW_PER_XNO / 10n
        for (const action of ACTIONS) {
          for (const moment of ["before", "after"] as const) {
            const where = `${action}, ${moment}`
            const first = yield* money
            yield* ask({ action: "faucet", account: address, amount: String(RAW_PER_XNO) })
            yield* Effect.promise(() => killedAt(proxy, directory, ["wallet", "receive"], action, moment))
            // The next process learns how long the dead one counts as alive, if it starts before that.
            const next = yield* program.run("wallet", "receive")
            if (next.code !== 0) assert.match(next.log, /Run the same command again\.\s+Wait [1-5] s/)
            endLeases(directory)
            const received = yield* program.run("wallet", "receive")
            assert.strictEqual(received.code, 0, received.log)
            const second = yield* money
            assert.deepStrictEqual(second, { ...first, balance: first.balance + RAW_PER_XNO }, where)

            yield* Effect.promise(() => killedAt(proxy, directory, send, action, moment))
            endLeases(directory)
            const again = yield* program.confirmed(...send)
            assert.strictEqual(again.code, 0, again.output)
            assert.include(again.output, "Sent 0.1 XNO", where)
            assert.deepStrictEqual(
              yield* money,
              { balance: second.balance - tenth, sent: second.sent + tenth },
              where
            )
            const open = rowsOf(directory, "select hash from wallet_blocks where status <> 'confirmed'")
            assert.lengthOf(open, 0, where)
          }
        }
      }),
    600_000
  )
})
