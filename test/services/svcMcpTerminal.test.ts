import { spawn } from "node:child_process"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stateDirectory } from "../mcp/local/localEdition.ts"
import { secretOf } from "../mcp/local/stateFile.ts"
import { PROGRAM, svcMcp } from "../mcp/local/svcMcp.ts"
import { started } from "../wire/server.ts"

/**
 * Runs a command in a terminal of its own, and types an answer once the prompt is there. Returns its status and all that
 * the terminal showed.
 */
const typed = (args: ReadonlyArray<string>, prompt: string, answer: string) =>
  Effect.promise(async () => {
    const words = [process.execPath, PROGRAM, ...args].map((word) => `'${word.replaceAll("'", "")}'`)
    const child = spawn("script", ["-qefc", words.join(" "), "/dev/null"], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    let shown = ""
    let isTyped = false
    child.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString()
      if (isTyped || !shown.includes(prompt)) return
      isTyped = true
      child.stdin.write(`${answer}\r`)
    })
    await once(child, "close")
    return { status: child.exitCode, shown }
  })

describe("svc-mcp at a terminal", () => {
  it.live("A person gives a permission by typing what is shown, and typed secrets stay hidden", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("services_svc_mcp_terminal")
      const directory = yield* stateDirectory
      const flags = ["--origin", origin, "--state-dir", directory]
      const address = "penny@example.test"
      const asked = yield* typed([...flags, "setup", "email", "--new"], "E-mail address", address)
      assert.strictEqual(asked.status, 0, asked.shown)
      assert.notInclude(asked.shown, address)
      assert.notInclude(asked.shown, "penny")
      assert.include(asked.shown, "setup email-verify")

      const made = yield* stateDirectory
      const human = ["--origin", origin, "--state-dir", made]
      const setup = yield* svcMcp([
        ...human,
        "setup",
        "new-human",
        "--name",
        "Penny",
        "--handle",
        "penny_human"
      ])
      assert.strictEqual(setup.status, 0, setup.stderr)
      const setUp = { shown: setup.stdout + setup.stderr }
      const grant = [...human, "grant", "discussion", "--expires", "1d"]
      const wrong = yield* typed(grant, "Type discussion", "yes")
      assert.strictEqual(wrong.status, 77, wrong.shown)
      assert.include(wrong.shown, "not-confirmed")
      const grantsOf = Effect.map(svcMcp([...human, "status"]), ({ stdout }) => JSON.parse(stdout).grants)
      assert.lengthOf(yield* grantsOf, 0)
      const right = yield* typed(grant, "Type discussion", "discussion")
      assert.strictEqual(right.status, 0, right.shown)
      assert.include(right.shown, origin)
      const [granted] = yield* grantsOf
      assert.strictEqual(granted.kind, "discussion")
      // The seed is for the eyes at this terminal: it goes into no pipe, and not without a person's word.
      const seed = secretOf(made, "wallet-seed")
      const show = [...human, "wallet", "show-seed"]
      const piped = yield* svcMcp(show, {}, "show-seed\n")
      assert.deepStrictEqual([piped.status, piped.stdout], [77, ""])
      const unsure = yield* typed(show, "Type show-seed", "yes")
      assert.strictEqual(unsure.status, 77)
      const sure = yield* typed(show, "Type show-seed", "show-seed")
      assert.strictEqual(sure.status, 0, sure.shown)
      assert.include(sure.shown, seed)
      for (const { shown } of [setUp, unsure]) assert.notInclude(shown, seed)
      const back = [...flags.slice(0, 3), yield* stateDirectory, "wallet", "restore"]
      const mistyped = yield* typed(back, "Seed of 64", seed.slice(1))
      assert.strictEqual(mistyped.status, 65, mistyped.shown)
      const restored = yield* typed(back, "Seed of 64", seed.toUpperCase())
      assert.strictEqual(restored.status, 0, restored.shown)
      for (const { shown } of [mistyped, restored]) assert.notInclude(shown.toLowerCase(), seed.slice(1))
      assert.include(restored.shown, "@penny_human")

      assert.strictEqual((yield* svcMcp([...human, "revoke", "discussion"])).status, 0)
      assert.lengthOf(yield* grantsOf, 0)
    })
  )
})
