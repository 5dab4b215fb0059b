import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { call, failureOf, MODERN_META, modernHeaders } from "../toolServer.ts"

const wrong = [
  ["svc_preview", {}, ["post_id required"]],
  ["svc_preview", { post_id: 7 }, ["post_id invalid"]],
  ["svc_preview", { post_id: "not-an-id" }, ["post_id invalid"]],
  ["svc_context", { approved: true }, ["approved unknown"]],
  [
    "svc_search",
    { limit: 21, sort: "oldest", grant: "all" },
    ["grant unknown", "limit invalid", "sort invalid"]
  ],
  ["svc_read_content", { offset: -1 }, ["offset invalid", "post_id required"]],
  ["svc_search", { ["x".repeat(5_000)]: 1 }, [`${"x".repeat(200)} unknown`]]
] as const

layer(service(database("test_mcp_refused_arguments")))("arguments that a tool does not take", (it) => {
  it.effect("A wrong argument is answered as any other failure, in every revision", () =>
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
          const told = fields.map((it: any) => `${it.field} ${it.code}`).toSorted()
          assert.deepStrictEqual(told, expected, name)
        }
      }
    })
  )
})
