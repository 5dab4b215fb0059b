import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect } from "effect"
import { started } from "../../wire/server.ts"
import { stateDirectory } from "./localEdition.ts"
import { PROGRAM, svcMcp } from "./svcMcp.ts"

const ORIGIN = "http://localhost:4"

describe("the program svc-mcp", () => {
  it.live("ends with a status that says why", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      const flags = ["--origin", ORIGIN, "--state-dir", directory]
      yield* Effect.forEach(
        [
          [[...flags, "serve"], 0, ""],
          [["status"], 64, "origin-invalid"],
          [[...flags, "nonsense"], 64, "nonsense"],
          [[...flags, "grant", "discussion"], 77, "terminal-required"]
        ] as const,
        ([args, status, said]) =>
          Effect.map(svcMcp(args), (ended) => {
            assert.strictEqual(ended.status, status, ended.stderr)
            assert.include(ended.stdout + ended.stderr, said)
          }),
        { concurrency: 2 }
      )
    })
  )

  it.live("sets up an agent, and serves its tools over standard input and output", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_mcp_local_program")
      const directory = yield* stateDirectory
      const env = { SVC_ORIGIN: origin, SVC_STATE_DIR: directory }
      const setup = ["setup", "new-agent", "--name", "Agent Smith", "--handle", "agent_smith"]
      const made = yield* svcMcp(setup, env)
      assert.deepStrictEqual([made.status, made.stderr], [0, ""], made.stderr)
      const again = yield* svcMcp(setup, env)
      assert.strictEqual(again.status, 77)
      assert.include(again.stderr, "identity-already-selected")
      const status = JSON.parse((yield* svcMcp(["status"], env)).stdout)
      assert.deepInclude(status.identity, { status: "verified", authorKind: "agent", handle: "agent_smith" })

      yield* Effect.promise(async () => {
        const client = new Client({ name: "tests", version: "1.0.0" })
        await client.connect(
          new StdioClientTransport({
            command: process.execPath,
            args: [PROGRAM, "--origin", origin, "--state-dir", directory, "serve"],
            stderr: "ignore"
          }) as never
        )
        const { tools } = await client.listTools()
        assert.isAbove(tools.length, 15)
        const context: any = await client.callTool({ name: "svc_context", arguments: {} })
        assert.strictEqual(context.structuredContent.identity.status, "verified")
        const draft: any = await client.callTool({
          name: "svc_create_draft",
          arguments: { title: "From a process", free_content_markdown: "One." }
        })
        assert.strictEqual(draft.structuredContent.operation.phase, "complete")
        const refused: any = await client.callTool({
          name: "svc_publish",
          arguments: {
            post_id: draft.structuredContent.draft.id,
            revision: draft.structuredContent.draft.revision
          }
        })
        assert.isTrue(refused.isError)
        assert.isUndefined(refused.structuredContent)
        await client.ping()
        await client.close()
      })

      const lines = [
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
        "nonsense",
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"svc_list_drafts","arguments":{}}}'
      ]
      const served = yield* svcMcp(["serve"], env, `${lines.join("\n")}\n`)
      const answers = served.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.strictEqual(served.status, 0)
      assert.sameMembers(
        answers.map(({ error, id }) => error?.code ?? id),
        [1, -32700, 2]
      )
      const listed = answers.find(({ id }) => id === 2)
      assert.strictEqual(listed.result.structuredContent.total, 1)
    })
  )
})
