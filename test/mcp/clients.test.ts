import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport
} from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { runDemo } from "../../src/bin/demoFlow.ts"
import { started } from "../wire/server.ts"
import { get } from "../wire/sockets.ts"

const INFO = { name: "tests", version: "1.0.0" }

/** The part of the official clients that the tests use. */
interface AnyClient {
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<any> }>
  readonly callTool: (call: { name: string; arguments: Record<string, unknown> }) => Promise<any>
  readonly ping: () => Promise<unknown>
  readonly getInstructions: () => string | undefined
  readonly close: () => Promise<void>
}

const connectedOld = async (url: URL): Promise<AnyClient> => {
  const client = new Client(INFO)
  await client.connect(new StreamableHTTPClientTransport(url) as never)
  return client as AnyClient
}

const connectedNew =
  (mode: "legacy" | "auto" | { pin: string }) =>
  async (url: URL): Promise<AnyClient> => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode } })
    await client.connect(new ModernTransport(url))
    return client as unknown as AnyClient
  }

const clients = {
  "sdk 1.32": connectedOld,
  "client 2.4": connectedNew("legacy"),
  "client 2.4, which finds out the revision": connectedNew("auto"),
  "client 2.4 of 2026-07-28": connectedNew({ pin: "2026-07-28" })
} as const

/** Clients with a handshake; the later revision has no pings. */
const hasPing: ReadonlySet<string> = new Set(["sdk 1.32", "client 2.4"])

const validatorOf = (schema: object) => addFormats.default(new Ajv2020({ strict: false })).compile(schema)

/** Checks a result against the output schema of its tool, and its text against its structure. */
const assertResult = (tools: ReadonlyArray<any>, name: string, result: any) => {
  const validate = validatorOf(tools.find((tool) => tool.name === name).outputSchema)
  assert.isTrue(validate(result.structuredContent), `${name}: ${JSON.stringify(validate.errors)}`)
  assert.notStrictEqual(result.isError, true)
  assert.lengthOf(result.content, 1)
  assert.deepStrictEqual(JSON.parse(result.content[0].text), result.structuredContent)
}

const assertFailure = (result: any) => {
  assert.isTrue(result.isError)
  assert.isUndefined(result.structuredContent)
  return result.content[0].text as string
}

const isRefused = (error: unknown) => error instanceof Error && /-32602|not found/i.test(`${error.message}`)

/** Uses every tool with right, wrong, missing and unknown arguments. */
const useAll = async (client: AnyClient, postId: string) => {
  const { tools } = await client.listTools()
  assert.lengthOf(tools, 5)
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args })

  for (const [name, args] of [
    ["svc_context", {}],
    ["svc_categories", {}],
    ["svc_search", {}],
    ["svc_search", { query: "no such words", sort: "most_reacted", limit: 1 }],
    ["svc_preview", { post_id: postId }],
    ["svc_preview", { post_id: "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e" }],
    ["svc_read_content", { post_id: postId }],
    ["svc_read_content", { post_id: postId.toUpperCase(), offset: 5, max_bytes: 1000 }],
    ["svc_read_content", { post_id: postId, revision: "another" }]
  ] as const) {
    assertResult(tools, name, await call(name, args))
  }
  for (const [name, args] of [
    ["svc_context", { approved: true }],
    ["svc_search", { limit: 21 }],
    ["svc_search", { query: " " }],
    ["svc_search", { cursor: "not one of ours" }],
    ["svc_search", { category_id: 0 }],
    ["svc_preview", {}],
    ["svc_preview", { post_id: "not-an-id" }],
    ["svc_read_content", { post_id: postId, offset: -1 }],
    ["svc_read_content", { post_id: postId, offset: 0.5 }],
    ["svc_read_content", { post_id: postId, grant: "all", origin: "https://other.example" }]
  ] as const) {
    assert.notStrictEqual(assertFailure(await call(name, args)), "", `${name} ${JSON.stringify(args)}`)
  }
  const unknown = await call("svc_buy_post").catch((error: unknown) => error)
  assert.isTrue(isRefused(unknown), String(unknown))
  return (await call("svc_read_content", { post_id: postId })).structuredContent
}

describe("official clients", () => {
  it.live("use every tool, in both eras and two at once", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_mcp_clients")
      yield* runDemo({ baseUrl: origin, markdown: "Pennies, **all** of them.", print: () => Effect.void })
      const [post] = JSON.parse((yield* get(`${origin}/api/posts`)).text).data
      const url = new URL(`${origin}/mcp`)
      for (const [name, connected] of Object.entries(clients)) {
        yield* Effect.promise(async () => {
          const [one, other] = await Promise.all([connected(url), connected(url)])
          const [content] = await Promise.all([useAll(one, post.id), useAll(other, post.id)])
          assert.strictEqual(content.post.id, post.id, name)
          assert.isAbove(content.totalCharacters, 0)
          if (hasPing.has(name)) await one.ping().catch(() => assert.fail(name))
          assert.include(one.getInstructions() ?? "", "untrusted")
          await Promise.all([one.close(), other.close()])
        })
      }
    }).pipe(Effect.provide(Layer.mergeAll(NodeHttpClient.layerUndici, SecureRandom.layerWebCrypto)))
  )
})
