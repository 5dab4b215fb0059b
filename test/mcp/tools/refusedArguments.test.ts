import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { call, failureOf, MODERN_META, modernHeaders } from "../toolServer.ts"

const wrong = [
  ["svc_preview", {}, ["post_id required Add this argument: a string (a UUID)"]],
  ["svc_preview", { post_id: 7 }, ["post_id invalid Send a string (a UUID)"]],
  ["svc_preview", { post_id: "not-an-id" }, ["post_id invalid Send a UUID"]],
  [
    "svc_context",
    { approved: true },
    ["approved unknown Remove this argument: it is unknown here, and none is needed"]
  ],
  [
    "svc_search",
    { limit: 21, sort: "oldest", grant: "all" },
    [
      "grant unknown Remove this argument: it is unknown here. Known: query, category_id, author_handle, author_kind, access, language, sort, cursor, limit",
      "limit out_of_range Send a value between 1 and 20",
      'sort invalid Send "newest", "most_reacted", or "most_purchased"'
    ]
  ],
  [
    "svc_read_content",
    { offset: -1, max_byte: 2_000 },
    [
      "max_byte unknown Remove this argument: it is unknown here. Did you mean max_bytes?",
      "offset out_of_range Send a value greater than or equal to 0",
      "post_id required Add this argument: a string (a UUID)"
    ]
  ],
  [
    "svc_read_content",
    { post_id: "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12", max_bytes: "many" },
    ["max_bytes invalid Send a whole number"]
  ]
] as const

layer(service(database("test_mcp_refused_arguments")))("arguments that a tool does not take", (it) => {
  it.effect("A long name of an argument is cut", () =>
    Effect.gen(function* () {
      const { fields } = failureOf(yield* call("svc_search", { ["x".repeat(5_000)]: 1 }))
      assert.deepStrictEqual([fields[0].field, fields[0].code], ["x".repeat(200), "unknown"])
    })
  )

  it.effect("A wrong argument is answered with what the tool takes, in every revision", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      for (const [name, args, expected] of wrong) {
        const { body } = yield* client.send("POST", "/mcp", {
          headers: modernHeaders("tools/call", name),
          body: {
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name, arguments: args, _meta: MODERN_META }
          }
        })
        for (const result of [yield* call(name, args), body.result]) {
          assert.isTrue(result?.isError, JSON.stringify(body))
          const { code, fields, message, nextStep, retryable } = failureOf(result)
          assert.deepStrictEqual(
            [code, message, retryable],
            ["validation", "An argument is not valid", false]
          )
          assert.strictEqual(nextStep, "Correct the arguments in `fields`")
          const told = fields.map((it: any) => `${it.field} ${it.code} ${it.message}`).toSorted()
          assert.deepStrictEqual(told, expected, name)
        }
      }
    })
  )
})
