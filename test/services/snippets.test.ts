import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect } from "effect"
import { TOOL_SERVER_VERSION } from "../../schemas/mcp/edition.ts"
import { clients } from "../mcp/officialClients.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { started } from "../wire/server.ts"
import { get } from "../wire/sockets.ts"
import { built, executed } from "./svcMcpProgram.ts"

/** The way to a server, as a client is told of it. */
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

/** Installs the package as it is built, so that `npx` finds it without a registry. */
const installed = Effect.fnUntraced(function* (program: string) {
  const project = yield* temporaryDirectory
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, "package.json"), '{"private":true}')
  const install = ["install", "--prefix", project, "--offline", "--no-audit", "--no-fund", dirname(program)]
  const { code, log } = yield* executed("npm", install)
  assert.strictEqual(code, 0, log)
  return project
})

describe("the snippets for clients", () => {
  it.live("name both editions, with a version and without secrets, and start them as they stand there", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_snippets")
      const program = yield* built(origin)
      const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8")
      const servers = serversOf(readme, origin)
      assert.deepStrictEqual<unknown>(servers, {
        pennypress: { type: "http", url: `${origin}/mcp` },
        "pennypress-local": {
          command: "npx",
          args: ["-y", `svc-mcp@${TOOL_SERVER_VERSION}`, "--origin", origin, "serve"]
        }
      })
      const { pennypress: hosted, "pennypress-local": local } = servers
      const ofPackage = serversOf(readFileSync(join(program, "..", "README.md"), "utf8"), origin)
      assert.deepStrictEqual<unknown>(ofPackage, { "pennypress-local": local })
      // The page names the service as its settings do.
      const onPage = serversOf((yield* get(`${origin}/mcp/guide`)).text, origin)
      assert.sameMembers(Object.keys(onPage), Object.keys(servers))
      assert.match(onPage["pennypress"]?.url ?? "", /^http:\/\/[^/]+\/mcp$/)
      assert.strictEqual(onPage["pennypress-local"]?.args?.[1], `svc-mcp@${TOOL_SERVER_VERSION}`)
      const base = JSON.parse(readFileSync(join(program, "..", "server.json"), "utf8")).remotes[0].url
      assert.strictEqual(base, hosted?.url)

      yield* Effect.promise(async () => {
        const client = await clients["sdk 1.32"]!(new URL(hosted?.url ?? ""), fetch)
        assert.lengthOf((await client.listTools()).tools, 5)
        await client.close()
      })
      const cwd = yield* installed(program)
      yield* Effect.promise(async () => {
        const client = new Client({ name: "tests", version: "1.0.0" })
        await client.connect(
          new StdioClientTransport({
            command: local?.command ?? "",
            args: [...(local?.args ?? [])],
            cwd,
            env: {
              PATH,
              HOME: cwd,
              XDG_STATE_HOME: join(cwd, "state"),
              npm_config_offline: "true"
            },
            stderr: "inherit"
          }) as never
        )
        assert.lengthOf((await client.listTools()).tools, 29)
        await client.close()
      })
    })
  )
})
