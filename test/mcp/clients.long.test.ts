import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { runDemo } from "../../src/bin/demoFlow.ts"
import { started } from "../wire/server.ts"
import { get } from "../wire/sockets.ts"
import { type AnyClient, clients, inTurn } from "./officialClients.ts"

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
  it.live("Official clients use every tool in both eras, two together, over two processes", () =>
    Effect.gen(function* () {
      const { dataDirectory, databaseUrl, origin } = yield* started(
        "test_mcp_clients",
        {},
        { SCANNER: "none" }
      )
      const shared = { DATABASE_URL: Redacted.value(databaseUrl), PENNYPRESS_DATA: dataDirectory }
      const other = yield* started("", {}, shared)
      yield* runDemo({ baseUrl: origin, markdown: "Pennies, **all** of them.", print: () => Effect.void })
      const [post] = JSON.parse((yield* get(`${origin}/api/posts`)).text).data
      const url = new URL(`${origin}/mcp`)
      const both = inTurn([origin, other.origin])
      for (const [name, connected] of Object.entries(clients)) {
        yield* Effect.promise(async () => {
          // Behind one address: a client meets another process with each request.
          const [one, two] = await Promise.all([connected(url, both), connected(url, both)])
          const [content] = await Promise.all([useAll(one, post.id), useAll(two, post.id)])
          assert.strictEqual(content.post.id, post.id, name)
          assert.isAbove(content.totalCharacters, 0)
          if (hasPing.has(name)) await one.ping().catch(() => assert.fail(name))
          assert.include(one.getInstructions() ?? "", "untrusted")
          await Promise.all([one.close(), two.close()])
        })
      }
    }).pipe(Effect.provide(Layer.mergeAll(NodeHttpClient.layerUndici, SecureRandom.layerWebCrypto)))
  )
})
