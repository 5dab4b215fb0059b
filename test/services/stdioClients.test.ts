import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Client as ModernClient } from "@modelcontextprotocol/client"
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect } from "effect"
import type { AnyClient } from "../mcp/officialClients.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { started } from "../wire/server.ts"
import { built, PROGRAM } from "./svcMcpProgram.ts"

const INFO = { name: "tests", version: "1.0.0" }

const TOOLS = 29

type Connect = (args: Array<string>) => Promise<AnyClient>

const connectedOld: Connect = async (args) => {
  const client = new Client(INFO)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }) as never
  )
  return client as AnyClient
}

const connectedNew =
  (mode: "legacy" | "auto" | { pin: string }): Connect =>
  async (args) => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode } })
    await client.connect(new ModernTransport({ command: process.execPath, args, stderr: "ignore" }))
    return client as unknown as AnyClient
  }

const clients: Readonly<Record<string, Connect>> = {
  "sdk 1.32": connectedOld,
  "client 2.4": connectedNew("legacy"),
  "client 2.4, which finds out the revision": connectedNew("auto"),
  "client 2.4 of 2026-07-28": connectedNew({ pin: "2026-07-28" })
}

/** Uses the tools of a directory without an identity. */
const use = async (name: string, client: AnyClient) => {
  const { tools } = await client.listTools()
  assert.lengthOf(tools, TOOLS, name)
  for (const { annotations, inputSchema, name: tool, outputSchema } of tools) {
    assert.deepInclude(inputSchema, { type: "object", additionalProperties: false }, tool)
    assert.strictEqual(outputSchema.type, "object", tool)
    assert.notMatch(JSON.stringify([inputSchema, outputSchema]), /\$ref|\$defs/, tool)
    for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) {
      assert.isBoolean(annotations[hint], `${tool} ${hint}`)
    }
  }
  const call = (tool: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name: tool, arguments: args })
  assert.strictEqual((await call("svc_context")).structuredContent.identity.status, "not-selected")
  assert.deepStrictEqual((await call("svc_search", { limit: 2 })).structuredContent.posts, [])
  for (const [tool, args] of [
    ["svc_search", { limit: 21 }],
    ["svc_preview", {}],
    [
      "svc_buy_post",
      { post_id: "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e", expected_price_raw: "1", approved: true }
    ],
    ["svc_list_drafts", {}]
  ] as const) {
    const result = await call(tool, args)
    assert.isTrue(result.isError, tool)
    assert.isUndefined(result.structuredContent)
  }
  const unknown = await call("svc_grant").catch((error: unknown) => error)
  assert.match(String(unknown), /-32602|not found/i, name)
}

describe("svc-mcp, as it is built", () => {
  it.live("is used by official clients over standard input and output, in both eras and two at once", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_stdio_clients")
      yield* built(origin)
      const home = yield* temporaryDirectory
      for (const [name, connect] of Object.entries(clients)) {
        yield* Effect.promise(async () => {
          const args = [PROGRAM, "--origin", origin, "--state-dir", join(home, "state"), "serve"]
          const [one, two] = await Promise.all([connect(args), connect(args)])
          await Promise.all([use(name, one), use(name, two)])
          await Promise.all([one.close(), two.close()])
        })
      }
    })
  )
})
