import { mkdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect } from "effect"
import { localSettings } from "../../src/mcp/documents/localProgram.ts"
import { clients } from "../mcp/officialClients.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { started } from "../wire/server.ts"
import { get } from "../wire/sockets.ts"
import { built, executed } from "./svcMcpProgram.ts"

/** The way to a server, as the configuration of a client has it. */
interface Entry {
  readonly type?: string
  readonly url?: string
  readonly command?: string
  readonly args?: ReadonlyArray<string>
}

const SNIPPET = /\{\s*"mcpServers":[\s\S]*?\}\s*\}\s*\}/g

/** Programs of this Node before those of others. */
const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter)

/** Returns the servers of all snippets of a text, for this origin. */
const serversOf = (text: string, origin: string): Readonly<Record<string, Entry>> =>
  Object.assign(
    {},
    ...[...text.matchAll(SNIPPET)].map(
      ([snippet]) => JSON.parse(snippet.replaceAll("https://<host>", origin)).mcpServers
    )
  )

/** Installs the package from its tarball, without a registry. Returns its command. */
const installed = Effect.fnUntraced(function* (program: string) {
  const project = yield* temporaryDirectory
  mkdirSync(project, { recursive: true })
  const npm = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const { code, log, output } = yield* executed("npm", args)
    assert.strictEqual(code, 0, log)
    return output.trim()
  })
  const name = yield* npm("pack", dirname(program), "--pack-destination", project, "--loglevel=error")
  const flags = ["--prefix", project, "--offline", "--no-audit", "--no-fund"]
  yield* npm("install", "--global", ...flags, join(project, name))
  return join(project, "bin", "svc-mcp")
})

/** Starts the local edition, and returns the number of its tools. */
const toolsOf = Effect.fnUntraced(function* (command: string, args: ReadonlyArray<string>) {
  const home = yield* temporaryDirectory
  mkdirSync(home, { recursive: true })
  const env = { PATH, HOME: home, XDG_STATE_HOME: join(home, "state") }
  return yield* Effect.promise(async () => {
    const client = new Client({ name: "tests", version: "1.0.0" })
    await client.connect(
      new StdioClientTransport({ command, args: [...args], env, stderr: "inherit" }) as never
    )
    const { tools } = await client.listTools()
    await client.close()
    return tools.length
  })
})

describe("the snippets for clients", () => {
  it.live("The snippets name both editions without secrets, and start them", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_snippets")
      const program = yield* built(origin)
      const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8")
      const servers = serversOf(readme, origin)
      assert.deepStrictEqual<unknown>(servers, {
        pennypress: { type: "http", url: `${origin}/mcp` },
        ...localSettings(origin).mcpServers
      })
      const { pennypress: hosted, "pennypress-local": local } = servers
      const ofPackage = serversOf(readFileSync(join(program, "..", "README.md"), "utf8"), origin)
      assert.deepStrictEqual<unknown>(ofPackage, { "pennypress-local": local })
      // The page names the service as its settings do.
      const onPage = serversOf((yield* get(`${origin}/mcp/guide`)).text, origin)
      assert.sameMembers(Object.keys(onPage), Object.keys(servers))
      assert.match(onPage["pennypress"]?.url ?? "", /^http:\/\/[^/]+\/mcp$/)
      assert.strictEqual(onPage["pennypress-local"]?.args?.[0], local?.args?.[0])

      yield* Effect.promise(async () => {
        const client = await clients["sdk 1.32"]!(new URL(hosted?.url ?? ""), fetch)
        assert.lengthOf((await client.listTools()).tools, 5)
        await client.close()
      })
      const clone = (word = "") => word.replace("/path/to/pennypress", process.cwd())
      const file = join(process.cwd(), "dist/svc-mcp/svc-mcp.js")
      const args = (local?.args ?? []).map((word) => (clone(word) === file ? program : word))
      assert.include(args, program)
      assert.strictEqual(yield* toolsOf(clone(local?.command), args), 29)
      assert.strictEqual(yield* toolsOf(yield* installed(program), args.slice(1)), 29)
    })
  )
})
