import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { listRequestOf, makeSharedResults } from "../../src/mcp/lists.ts"
import { database } from "../support/Database.ts"
import { service, TestClient } from "../support/TestClient.ts"
import { MODERN_META, modernHeaders } from "./toolServer.ts"

const LISTS = ["server/discover", "tools/list", "resources/list"]
const IDS = [1, 0, -7.5, "a", "", '"}', "\u2028é", "x".repeat(1_000)]

/** Metadata that the library reads, and that no list depends on. */
const OTHER_META = { ...MODERN_META, progressToken: "p" }

const ask = Effect.fnUntraced(function* (message: object, headers: Readonly<Record<string, string>> = {}) {
  return yield* (yield* TestClient).send("POST", "/mcp", { body: { jsonrpc: "2.0", ...message }, headers })
})

layer(service(database("test_mcp_lists")))("lists of the tool server", (it) => {
  it.effect("Everyone gets the list of the library, with the id of the request", () =>
    Effect.gen(function* () {
      for (const method of LISTS) {
        const library = yield* ask({ id: 1, method, params: { _meta: OTHER_META } }, modernHeaders(method))
        assert.isObject(library.body.result, library.text)
        for (const id of IDS) {
          const list = yield* ask({ id, method, params: { _meta: MODERN_META } }, modernHeaders(method))
          assert.strictEqual(list.status, 200)
          assert.match(list.headers.get("content-type") ?? "", /^application\/json/)
          assert.strictEqual(list.headers.get("cache-control"), "private, no-store")
          assert.deepStrictEqual(list.body, { ...library.body, id })
        }
      }
    })
  )

  it.effect("Clients of earlier revisions get the same tools with any parameters", () =>
    Effect.gen(function* () {
      const method = "tools/list"
      const library = yield* ask({ id: 1, method, params: { _meta: OTHER_META } }, modernHeaders(method))
      for (const id of IDS) {
        for (const params of [undefined, {}, { cursor: "x" }, [], "all", { _meta: { a: 1 } }]) {
          const list = yield* ask({ id, method, params })
          assert.deepStrictEqual(list.body, {
            jsonrpc: "2.0",
            id,
            result: { tools: library.body.result.tools }
          })
        }
      }
    })
  )
})

describe("a result that is the same for everyone", () => {
  const of = (params: unknown, headers = modernHeaders("tools/list"), more: object = {}) =>
    listRequestOf({ jsonrpc: "2.0", id: 1, method: "tools/list", params, ...more }, headers)

  it("Only a plain request for a list is answered without the library", () => {
    assert.deepStrictEqual(of({ _meta: MODERN_META }), { id: 1, method: "tools/list" })
    const named = { ...MODERN_META, "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" } }
    assert.isDefined(of({ _meta: named }))
    for (const params of [
      undefined,
      null,
      [],
      {},
      { _meta: null },
      { _meta: {} },
      { _meta: { ...MODERN_META, "io.modelcontextprotocol/protocolVersion": "2099-01-01" } },
      { _meta: { ...MODERN_META, "io.modelcontextprotocol/clientCapabilities": 1 } },
      { _meta: OTHER_META },
      { _meta: MODERN_META, cursor: "x" }
    ])
      assert.isUndefined(of(params), JSON.stringify(params))
    const params = { _meta: MODERN_META }
    const headers = modernHeaders("tools/list")
    for (const wrong of [
      { ...headers, accept: "application/json" },
      { ...headers, "mcp-method": "tools/call" },
      { ...headers, "mcp-protocol-version": "2025-11-25" },
      {}
    ])
      assert.isUndefined(of(params, wrong as Record<string, string>), JSON.stringify(wrong))
    for (const more of [{ id: null }, { id: {} }, { id: Number.POSITIVE_INFINITY }, { method: "tools/call" }])
      assert.isUndefined(of(params, headers, more), JSON.stringify(more))
  })

  it.effect("A result is made once, and a failure is not kept", () =>
    Effect.gen(function* () {
      const share = makeSharedResults()
      let made = 0
      const failing = Effect.die(new Error("not loaded"))
      assert.isTrue((yield* Effect.exit(share("list", 1, failing)))._tag === "Failure")
      for (const id of IDS) {
        const answer = yield* share(
          "list",
          id,
          Effect.sync(() => ({ made: ++made }))
        )
        const text = yield* Effect.promise(() => HttpServerResponse.toWeb(answer).text())
        assert.deepStrictEqual(JSON.parse(text), { jsonrpc: "2.0", id, result: { made: 1 } })
      }
    })
  )
})
