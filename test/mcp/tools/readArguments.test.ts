import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { HostedToolkit } from "../../../schemas/mcp/hostedTools.ts"
import { DraftToolkit } from "../../../schemas/mcp/local/draftTools.ts"
import { NotificationToolkit } from "../../../schemas/mcp/local/notificationTools.ts"
import { makeReadArguments } from "../../../src/mcp/tools/readArguments.ts"

const read = makeReadArguments({
  ...HostedToolkit.tools,
  ...DraftToolkit.tools,
  ...NotificationToolkit.tools
})

const call = (name: string, args: unknown) => ({ method: "tools/call", params: { name, arguments: args } })
const argumentsOf = (name: string, args: unknown) => {
  const { params } = read(call(name, args)) as ReturnType<typeof call>
  return params.arguments
}

const ID = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

describe("arguments of tools", () => {
  it("An optional argument that is null is absent, and a required one stays", () => {
    assert.deepStrictEqual(argumentsOf("svc_search", { query: null, limit: null, sort: "newest" }), {
      sort: "newest"
    })
    assert.deepStrictEqual(argumentsOf("svc_preview", { post_id: null }), { post_id: null })
    assert.deepStrictEqual(argumentsOf("svc_notifications", { include_all: null, limit: 3 }), { limit: 3 })
  })

  it("A null that a tool understands is kept", () => {
    const changes = { title: null, free_content_markdown: null, primary_category_id: "4", description: "a" }
    assert.deepStrictEqual(argumentsOf("svc_update_draft", { post_id: ID, revision: "r", changes }), {
      post_id: ID,
      revision: "r",
      changes: { free_content_markdown: null, primary_category_id: 4, description: "a" }
    })
  })

  it("A number or a truth value may be text, and text that looks like one stays text", () => {
    assert.deepStrictEqual(
      argumentsOf("svc_search", { limit: "10", category_id: " 3 ", query: "10", language: "null" }),
      { limit: 10, category_id: 3, query: "10", language: "null" }
    )
    assert.deepStrictEqual(argumentsOf("svc_notifications", { include_all: "true", offset: "0" }), {
      include_all: true,
      offset: 0
    })
    for (const limit of ["ten", "", "1e3", "0x10", "１０", "1 0", "9".repeat(40), "--1"])
      assert.deepStrictEqual(argumentsOf("svc_search", { limit }), { limit })
  })

  it("Any other message is returned as it is", () => {
    const messages = [
      call("svc_search", { limit: 3 }),
      call("unknown", { limit: "3" }),
      call("constructor", { limit: "3" }),
      call("svc_search", { constructor: null, __proto__: "3" }),
      call("svc_search", ["3"]),
      call("svc_search", undefined),
      { method: "ping", params: { name: "svc_search", arguments: { limit: "3" } } },
      { method: "tools/call" }
    ]
    for (const message of messages) assert.strictEqual(read(message), message)
  })

  it.effect("Reading never fails, and what was read is read again as it is", () =>
    Effect.sync(() =>
      fc.assert(
        fc.property(
          fc.constantFrom("svc_search", "svc_update_draft", "svc_create_draft", "svc_notifications"),
          fc.dictionary(
            fc.oneof(fc.constantFrom("limit", "query", "changes", "include_all", "title"), fc.string()),
            fc.jsonValue()
          ),
          (name, args) => {
            const once = read(call(name, args))
            assert.strictEqual(read(once), once)
          }
        )
      )
    )
  )
})
