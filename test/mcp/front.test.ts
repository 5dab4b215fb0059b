import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { IpNetwork } from "effect/net"
import { authorOf } from "../support/actors/author.ts"
import { database } from "../support/Database.ts"
import { BASE_URL, service, TestClient } from "../support/TestClient.ts"
import { call, failureOf, MODERN_META, modernHeaders } from "./toolServer.ts"

const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

const post = (body: unknown, headers: Readonly<Record<string, string>> = {}, from?: string) =>
  Effect.flatMap(TestClient, (client) =>
    client.send("POST", "/mcp", { body, headers, ...(from === undefined ? {} : { from }) })
  )

const message = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params })
})

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

layer(service(database("test_mcp_front"), 1, { mcpAllowedOrigins: ["https://chat.example"] }))(
  "the front of the tool server",
  (it) => {
    it.effect("Pages of the service's own and of configured origins may ask, and no others", () =>
      Effect.gen(function* () {
        for (const [origin, status] of [
          [BASE_URL, 200],
          ["https://chat.example", 200],
          ["https://chat.example:444", 403],
          ["https://press.test.evil.example", 403],
          ["http://press.test", 403],
          ["null", 403]
        ] as const) {
          const answer = yield* post(message("ping"), { origin })
          assert.strictEqual(answer.status, status, origin)
        }
      })
    )

    it.effect("An invalid message is refused with a JSON-RPC error without an id", () =>
      Effect.gen(function* () {
        for (const [body, status, code] of [
          ["", 400, -32700],
          ["{", 400, -32700],
          [new Uint8Array([0x22, 0xff, 0x22]), 400, -32700],
          [nested(200), 400, -32600],
          // Not JSON either, which only a parser would find out.
          ["[".repeat(60_000), 400, -32600],
          [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested(32)}}`, 400, -32600],
          [
            `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc_context","a":${nested(30)}}}`,
            200,
            undefined
          ],
          ["[]", 400, -32600],
          [JSON.stringify(Array(21).fill(message("ping"))), 400, -32600],
          ["null", 400, -32600],
          ['"text"', 400, -32600],
          ["{}", 400, -32600],
          ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
          ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
          ['{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
          ['{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600],
          ['{"jsonrpc":"2.0","id":1}', 400, -32600],
          [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${nested(60)}"}}`, 200, undefined],
          [`"${"x".repeat(64 * 1024)}"`, 413, -32600],
          [nested(200_000), 413, -32600]
        ] as const) {
          const answer = yield* post(body)
          const name = String(body).slice(0, 80)
          assert.deepStrictEqual([answer.status, answer.body.error?.code], [status, code], name)
          if (status !== 200) assert.isNull(answer.body.id, name)
        }
      })
    )

    it.effect("The front takes only JSON", () =>
      Effect.gen(function* () {
        const text = JSON.stringify(message("ping"))
        for (const [type, status] of [
          ["application/json", 200],
          ["Application/JSON; charset=UTF-8", 200],
          ["application/json; charset=latin1", 415],
          ["text/plain", 415],
          ["application/jsonp", 415],
          ["multipart/form-data; boundary=x", 415]
        ] as const) {
          assert.strictEqual((yield* post(text, { "content-type": type })).status, status, type)
        }
      })
    )

    it.effect("A client with a handshake is answered, and nothing of it is kept", () =>
      Effect.gen(function* () {
        for (const [asked, spoken] of [
          ...LEGACY.map((version) => [version, version] as const),
          ["2099-01-01", "2025-11-25"],
          [undefined, "2025-11-25"],
          [7, "2025-11-25"]
        ] as const) {
          const { body, headers, status } = yield* post(
            message("initialize", { protocolVersion: asked, capabilities: {}, clientInfo: {} }, "a")
          )
          assert.strictEqual(status, 200)
          assert.strictEqual(body.id, "a")
          assert.strictEqual(body.result.protocolVersion, spoken)
          assert.deepStrictEqual(body.result.capabilities, { tools: { listChanged: false } })
          assert.isNull(headers.get("mcp-session-id"))
          assert.strictEqual(headers.get("cache-control"), "private, no-store")
        }
        assert.deepStrictEqual((yield* post(message("ping"))).body.result, {})
        // Nothing but a version above those of the past chooses the other era.
        const lists = yield* Effect.forEach(
          [{}, { "mcp-method": "tools/list" }, { "mcp-session-id": "any" }, { accept: "text/html" }],
          (headers) => post(message("tools/list", {}), headers)
        )
        for (const { body, status } of lists) {
          assert.strictEqual(status, 200)
          assert.deepStrictEqual(Object.keys(body.result), ["tools"])
        }
        assert.notMatch(lists[0]?.text ?? "", /_tag|resultType|ttlMs|cacheScope|serverInfo/)
      })
    )

    it.effect("Notifications and answers are accepted, and other methods are unknown", () =>
      Effect.gen(function* () {
        for (const body of [
          { jsonrpc: "2.0", method: "notifications/initialized" },
          { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
          { jsonrpc: "2.0", id: 1, result: {} },
          { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } }
        ]) {
          const answer = yield* post(body)
          assert.deepStrictEqual([answer.status, answer.text], [202, ""])
        }
        for (const method of [
          "resources/list",
          "prompts/list",
          "logging/setLevel",
          "completion/complete",
          "x"
        ]) {
          const { body, status } = yield* post(message(method))
          assert.deepStrictEqual([status, body.error.code, body.id], [200, -32601, 1], method)
        }
        const version = { "mcp-protocol-version": "2025-01-01" }
        const unknown = yield* post(message("tools/list"), version)
        assert.deepStrictEqual([unknown.status, unknown.body.error.code], [400, -32602])
        assert.deepStrictEqual(unknown.body.error.data.supported, ["2026-07-28", ...LEGACY])
        assert.strictEqual((yield* post(message("ping"), { "mcp-protocol-version": "draft" })).status, 400)
        assert.strictEqual((yield* post(message("initialize"), version)).status, 200)
      })
    )

    it.effect(
      "The revision with batches gets an answer to each request of a batch, and others get none",
      () =>
        Effect.gen(function* () {
          const batch = [
            message("ping", {}, 1),
            { jsonrpc: "2.0", method: "notifications/initialized" },
            message("tools/call", { name: "svc_context", arguments: null }, "two"),
            message("initialize", { protocolVersion: "2025-03-26" }, 3),
            message("x", {}, 4),
            7
          ]
          for (const headers of [{}, { "mcp-protocol-version": "2025-03-26" }]) {
            const { body, status } = yield* post(batch, headers)
            assert.strictEqual(status, 200)
            assert.deepStrictEqual(
              body.map(({ error, id }: any) => [id, error?.code]),
              [
                [1, undefined],
                ["two", undefined],
                [null, -32600],
                [4, -32601],
                [null, -32600]
              ]
            )
            assert.strictEqual(body[1].result.structuredContent.edition, "hosted")
            const silent = yield* post([batch[1]], headers)
            assert.deepStrictEqual([silent.status, silent.text], [202, ""])
          }
          for (const version of ["2025-06-18", "2025-11-25", "2026-07-28"]) {
            const { body, status } = yield* post(batch, { "mcp-protocol-version": version })
            assert.deepStrictEqual([status, body.error.code], [400, -32600], version)
          }
        })
    )

    it.effect("A client that would rather speak a newer version agrees on one that is served", () =>
      Effect.gen(function* () {
        for (const version of ["2026-07-28", "2027-01-01", "2099-12-31"]) {
          const { body, status } = yield* post(
            message("initialize", { protocolVersion: version, capabilities: {}, clientInfo: {} }),
            { "mcp-protocol-version": version }
          )
          assert.deepStrictEqual([status, body.result?.protocolVersion], [200, "2025-11-25"], version)
        }
      })
    )

    it.effect("The front has the same answers with a final slash", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const send = (path: string, body: object, headers = {}) =>
          Effect.map(client.send("POST", path, { body, headers }), ({ status, text }) => [status, text])
        for (const [body, headers] of [
          [message("ping"), {}],
          [message("tools/list"), {}],
          [message("tools/list", { _meta: MODERN_META }), modernHeaders("tools/list")],
          [
            message("tools/call", { name: "svc_context", arguments: {}, _meta: MODERN_META }),
            modernHeaders("tools/call", "svc_context")
          ]
        ] as const)
          assert.deepStrictEqual(yield* send("/mcp/", body, headers), yield* send("/mcp", body, headers))
        assert.strictEqual((yield* client.send("GET", "/mcp/")).headers.get("allow"), "POST, OPTIONS")
        assert.strictEqual((yield* client.send("POST", "/mcp//", { body: message("ping") })).status, 404)
      })
    )

    it.effect("A call whose arguments are null is one without arguments, in every revision", () =>
      Effect.gen(function* () {
        const params = { name: "svc_context", arguments: null }
        for (const version of LEGACY) {
          const { body } = yield* post(message("tools/call", params), { "mcp-protocol-version": version })
          assert.notStrictEqual(body.result?.isError, true, version)
          assert.isDefined(body.result?.structuredContent, version)
        }
        const modern = yield* post(
          message("tools/call", { ...params, _meta: MODERN_META }),
          modernHeaders("tools/call", "svc_context")
        )
        assert.isDefined(modern.body.result?.structuredContent)
      })
    )

    it.effect("Arguments that are null, or numbers that are text, are read in every revision", () =>
      Effect.gen(function* () {
        const params = { name: "svc_search", arguments: { query: null, limit: "2", category_id: null } }
        for (const [body, headers] of [
          [message("tools/call", params), {}],
          [
            message("tools/call", { ...params, _meta: MODERN_META }),
            modernHeaders("tools/call", "svc_search")
          ]
        ] as const) {
          const { result } = (yield* post(body, headers)).body
          assert.isNotTrue(result.isError, JSON.stringify(result))
          assert.strictEqual(result.structuredContent.pagination.limit, 2)
        }
      })
    )

    it.effect("A call of no tool, or without an object of arguments, is refused", () =>
      Effect.gen(function* () {
        for (const params of [
          undefined,
          [],
          {},
          { name: 7 },
          { name: "svc_nope" },
          { name: "svc_context\r\nx-evil: 1" },
          { name: "svc_čontext" },
          { name: "__proto__" },
          { name: "svc_context", arguments: [] },
          { name: "svc_context", arguments: "all" }
        ]) {
          const { body, status } = yield* post(message("tools/call", params))
          assert.deepStrictEqual([status, body.error?.code], [200, -32602], JSON.stringify(params))
        }
      })
    )

    it.effect("The revision without sessions is left to the library", () =>
      Effect.gen(function* () {
        const list = yield* post(message("tools/list", { _meta: MODERN_META }), modernHeaders("tools/list"))
        assert.deepInclude(list.body.result, {
          ttlMs: 300_000,
          cacheScope: "private",
          resultType: "complete"
        })
        const discovered = yield* post(
          message("server/discover", { _meta: MODERN_META }),
          modernHeaders("server/discover")
        )
        assert.deepInclude(discovered.body.result, { ttlMs: 300_000, supportedVersions: ["2026-07-28"] })
        const called = yield* post(
          message("tools/call", { name: "svc_context", arguments: {}, _meta: MODERN_META }),
          modernHeaders("tools/call", "svc_context")
        )
        assert.strictEqual(called.body.result.structuredContent.edition, "hosted")

        for (const [body, headers, status, code] of [
          [message("tools/list"), modernHeaders("tools/list"), 400, -32602],
          [
            message("tools/list", { _meta: MODERN_META }),
            { accept: modernHeaders("x")["accept"]! },
            400,
            -32020
          ],
          [message("tools/list", { _meta: MODERN_META }), modernHeaders("server/discover"), 400, -32020],
          [
            message("tools/call", { name: "svc_context", _meta: MODERN_META }),
            modernHeaders("tools/call", "svc_search"),
            400,
            -32020
          ],
          [
            message("tools/list", {
              _meta: { ...MODERN_META, "io.modelcontextprotocol/protocolVersion": "2099-01-01" }
            }),
            { ...modernHeaders("tools/list"), "mcp-protocol-version": "2099-01-01" },
            400,
            -32022
          ],
          [message("x/y", { _meta: MODERN_META }), modernHeaders("x/y"), 404, -32601]
        ] as const) {
          const answer = yield* post(body, headers)
          assert.deepStrictEqual(
            [answer.status, answer.body.error?.code],
            [status, code],
            JSON.stringify([body, headers])
          )
        }
      })
    )

    it.effect("The front has no other method, and tells pages what they may send", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        for (const method of ["GET", "DELETE", "PUT", "PATCH"]) {
          const answer = yield* client.send(method, "/mcp")
          assert.deepStrictEqual([answer.status, answer.headers.get("allow")], [405, "POST, OPTIONS"], method)
        }
        const preflight = yield* client.send("OPTIONS", "/mcp")
        assert.strictEqual(preflight.status, 204)
        const allowed = preflight.headers.get("access-control-allow-headers")?.toLowerCase().split(", ") ?? []
        assert.includeMembers(allowed, [
          "content-type",
          "mcp-protocol-version",
          "mcp-method",
          "mcp-name",
          "mcp-session-id"
        ])
        for (const path of [
          "/.well-known/oauth-protected-resource",
          "/.well-known/oauth-authorization-server"
        ]) {
          assert.strictEqual((yield* client.send("GET", path)).status, 404)
        }
      })
    )

    it.effect("The front reads no credential, and passes none on", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const { id } = yield* author.published()
        for (const authorization of ["Bearer nonsense", `Bearer ${author.key}`, "Basic x"]) {
          const headers = { authorization, cookie: "session=1" }
          const read = yield* call("svc_read_content", { post_id: id }, { headers })
          assert.isTrue(read.structuredContent.available, authorization)
          const { structuredContent } = yield* call("svc_context", {}, { headers })
          assert.strictEqual(structuredContent.identity.status, "not-selected")
        }
      })
    )
  }
)

const limited = service(database("test_mcp_limits"), 1, {
  rateLimitFactor: 0.01,
  trustedProxies: [IpNetwork.fromStringUnsafe("10.0.0.0/8")]
})

layer(Layer.fresh(limited))("limits of the tool server", (it) => {
  it.effect("The limits hold for each client, even behind a trusted proxy", () =>
    Effect.gen(function* () {
      const through = (client: string) => post(message("ping"), { "x-forwarded-for": client }, "10.0.0.1")
      for (let i = 0; i < 6; i++) assert.strictEqual((yield* through("192.0.2.1")).status, 200)
      const refused = yield* through("192.0.2.1")
      assert.deepStrictEqual([refused.status, refused.body.error.code], [429, -32000])
      const seconds = Number(refused.headers.get("retry-after"))
      assert.isAtLeast(seconds, 1)
      assert.strictEqual(refused.body.error.data.retryAfterSeconds, seconds)
      assert.strictEqual((yield* through("192.0.2.2")).status, 200)
    })
  )

  it.effect("A read by a tool counts as a public read of the same client", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const from = "198.51.100.7"
      for (let i = 0; i < 12; i++) {
        assert.strictEqual((yield* client.send("GET", "/api/posts?cursor=", { from })).status, 200)
      }
      const failure = failureOf(yield* call("svc_search", {}, { from }))
      assert.deepInclude(failure, { code: "rate-limited", retryable: true })
      assert.isAtLeast(failure.retryAfterSeconds, 1)
      assert.isNotNull(failure.requestId)
      const other = yield* call("svc_search", {}, { from: "198.51.100.8" })
      assert.isFalse(other.isError)
    })
  )
})
