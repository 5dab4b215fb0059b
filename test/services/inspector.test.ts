import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryDirectory } from "../support/directories.ts"
import { started } from "../wire/server.ts"
import { built } from "./svcMcpProgram.ts"

/** The program of the protocol's authors with which people try a server; `.ci/run` installs it. */
const INSPECTOR = process.env["SERVICES_INSPECTOR"] ?? ""

/** The environment of the program. */
const environment = (home: string) => ({ PATH: process.env["PATH"], HOME: home })

const inspected = (server: ReadonlyArray<string>, home: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number; readonly output: string; readonly log: string }>((resume) => {
    const child = execFile(
      process.execPath,
      [INSPECTOR, "--cli", ...server, ...args],
      { env: environment(home), maxBuffer: 1 << 26 },
      (error, output, log) => {
        resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), output, log }))
      }
    )
    return Effect.sync(() => child.kill())
  })

describe("the inspector, from a command line", () => {
  it.live("The inspector lists the tools without a complaint about their schemas, and calls them", () =>
    Effect.gen(function* () {
      assert.notStrictEqual(INSPECTOR, "", "SERVICES_INSPECTOR names the inspector's program")
      const { origin } = yield* started("test_inspector")
      const home = yield* temporaryDirectory
      const inspect = (...args: ReadonlyArray<string>) =>
        inspected([`${origin}/mcp`, "--transport", "http"], home, ...args)

      const listed = yield* inspect("--method", "tools/list", "--strict")
      assert.strictEqual(listed.code, 0, listed.log)
      const { tools } = JSON.parse(listed.output)
      assert.lengthOf(tools, 5)

      const call = ["--method", "tools/call", "--tool-name"] as const
      const found = yield* inspect(...call, "svc_search", "--tool-arg", "limit=3")
      assert.strictEqual(found.code, 0, found.log)
      assert.strictEqual(JSON.parse(found.output).structuredContent.pagination.limit, 3)
      const refused = yield* inspect(...call, "svc_preview", "--tool-arg", "post_id=none")
      assert.notStrictEqual(refused.code, 0)
      assert.include(`${refused.output}${refused.log}`, "post_id")
    })
  )

  it.live("The inspector lists and calls tools of the local edition from a configuration file", () =>
    Effect.gen(function* () {
      assert.notStrictEqual(INSPECTOR, "", "SERVICES_INSPECTOR names the inspector's program")
      const { origin } = yield* started("test_inspector_local")
      const home = yield* temporaryDirectory
      const args = [yield* built(origin), "--origin", origin, "--state-dir", join(home, "state"), "serve"]
      const config = join(home, "servers.json")
      const mcpServers = { "pennypress-local": { command: process.execPath, args } }
      writeFileSync(config, JSON.stringify({ mcpServers }))
      const server = ["--config", config, "--server", "pennypress-local"]
      const inspect = (...more: ReadonlyArray<string>) => inspected(server, home, ...more)

      const listed = yield* inspect("--method", "tools/list", "--strict")
      assert.strictEqual(listed.code, 0, listed.log)
      assert.lengthOf(JSON.parse(listed.output).tools, 29)
      const call = ["--method", "tools/call", "--tool-name"] as const
      const context = yield* inspect(...call, "svc_context")
      assert.strictEqual(JSON.parse(context.output).structuredContent.identity.status, "not-selected")
      const refused = yield* inspect(...call, "svc_list_drafts")
      assert.notStrictEqual(refused.code, 0)
      assert.include(`${refused.output}${refused.log}`, "identity-not-selected")
    })
  )
})
