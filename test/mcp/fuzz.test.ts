import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { database } from "../support/Database.ts"
import { soak } from "../support/soak.ts"
import { service, TestClient } from "../support/TestClient.ts"
import { MODERN_META, modernHeaders } from "./toolServer.ts"

const MESSAGES = soak(120, 3_000, 100_000)
const HANDSHAKES = soak(200, 10_000, 100_000)

/**
 * Growth of the heap with these handshakes that is not a leak: caches, and 600 bytes that a request with a body leaves in
 * the test itself, for every path. A session of each handshake would be 3,600 bytes.
 */
const growthMax = (handshakes: number) => 12 * 1024 * 1024 + 1_000 * handshakes

/** Milliseconds for the long forms. */
const LONG = 1_800_000

const text = fc.string({ unit: "binary", maxLength: 20 })
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  text,
  fc.constant({}),
  fc.constant([]),
  fc.constant(null)
)

const method = fc.oneof(
  fc.constantFrom(
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "server/discover",
    "subscriptions/listen",
    "notifications/cancelled",
    "resources/read",
    "completion/complete",
    "logging/setLevel"
  ),
  text
)

const args = fc.dictionary(
  fc.constantFrom("query", "limit", "cursor", "post_id", "offset", "max_bytes", "__proto__", "approved"),
  fc.oneof(value, fc.constant("0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"), fc.integer(), fc.double())
)

const params = fc.oneof(
  fc.record(
    {
      name: fc.oneof(
        fc.constantFrom("svc_context", "svc_search", "svc_preview", "svc_read_content", "svc_categories"),
        value
      ),
      arguments: fc.oneof(args, value),
      protocolVersion: value,
      cursor: value,
      requestId: value,
      inputResponses: value,
      requestState: value,
      _meta: fc.oneof(fc.constant(MODERN_META), value, fc.constant({ ...MODERN_META, progressToken: 1 }))
    },
    { requiredKeys: [] }
  ),
  value
)

const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant("2.0") }, value),
    id: fc.oneof({ weight: 6, arbitrary: fc.constantFrom<unknown>(1, "a", 0, -1, 1.5, "") }, value),
    method,
    params,
    result: value,
    error: value
  },
  { requiredKeys: ["jsonrpc", "method"] }
)

const headers = fc.oneof(
  fc.constant({}),
  fc.constantFrom(
    { "mcp-protocol-version": "2025-06-18" },
    { "mcp-protocol-version": "2099-12-31" },
    { "mcp-protocol-version": "" },
    { "mcp-session-id": "x" }
  )
)

/** A message and headers; every other one has the headers that belong to it in the revision without sessions. */
const requests = fc.tuple(message, headers, fc.boolean()).map(([it, other, isModern]) => {
  const name = (it.params as { name?: unknown } | null | undefined)?.name
  const fits = /^[\x21-\x7e]+$/.test(it.method)
  const own =
    fits && isModern
      ? modernHeaders(it.method, typeof name === "string" && /^[\x21-\x7e]+$/.test(name) ? name : undefined)
      : other
  return { body: JSON.stringify(it), headers: own as Record<string, string> }
})

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

const heapUsed = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

layer(service(database("test_mcp_fuzz")))("messages that no client sends", (it) => {
  it.effect(
    "Any message is answered, and never as a failure of the service",
    () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const statuses = new Set<number>()
        for (const request of fc.sample(requests, { numRuns: MESSAGES, seed: 1 })) {
          const { body, status } = yield* client.send("POST", "/mcp", {
            ...request,
            headers: { "content-type": "application/json", ...request.headers }
          })
          const seen = `${status} ${JSON.stringify(body)} for ${request.body} ${JSON.stringify(request.headers)}`
          assert.include([200, 202, 400, 404, 406], status, seen)
          assert.notStrictEqual(body?.error?.code, -32603, seen)
          statuses.add(status)
        }
        assert.includeMembers([...statuses], [200, 202, 400])
      }),
    LONG
  )

  it.effect(
    "Messages leave nothing in memory, in any number",
    () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const initialize = {
          body: {
            jsonrpc: "2.0",
            id: 1,
            method: "initialize",
            params: {
              protocolVersion: "2025-06-18",
              capabilities: {},
              clientInfo: { name: "x", version: "1" }
            }
          }
        }
        const handshakes = Effect.repeat(client.send("POST", "/mcp", initialize), { times: HANDSHAKES - 1 })
        yield* Effect.repeat(client.send("POST", "/mcp", initialize), { times: 100 })
        const before = heapUsed()
        yield* handshakes
        assert.isBelow(heapUsed() - before, growthMax(HANDSHAKES))
      }),
    LONG
  )
})
