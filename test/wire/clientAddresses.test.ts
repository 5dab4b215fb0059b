import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { started } from "./server.ts"
import { exchange, get } from "./sockets.ts"

/** Returns the remaining sign-in limit of the client that sends this request; the request itself is refused. */
const left = Effect.fnUntraced(function* (origin: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = yield* get(`${origin}/api/v1/auth/nano/claim`, { method: "POST", headers, body: "" })
  return /^"sign-in";r=(\d+);/.exec(answer.headers.get("ratelimit") ?? "")?.[1]
})

describe("the client's address, over sockets", () => {
  it.live("An address is that of the connection, despite headers of a client", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_wire_addresses", {}, { RATE_LIMIT_FACTOR: "1" })
      assert.strictEqual(yield* left(origin), "59")
      assert.strictEqual(yield* left(origin, { "x-forwarded-for": "198.51.100.1" }), "58")
      assert.strictEqual(yield* left(origin, { forwarded: "for=198.51.100.1" }), "57")
    })
  )

  it.live("An address is the one that a trusted proxy reports", () =>
    Effect.gen(function* () {
      const { origin, port } = yield* started(
        "test_wire_proxies",
        {},
        {
          RATE_LIMIT_FACTOR: "1",
          TRUSTED_PROXIES: "127.0.0.0/8, 10.0.0.0/8"
        }
      )
      assert.strictEqual(yield* left(origin), "59")
      assert.strictEqual(yield* left(origin, { "x-forwarded-for": "6.6.6.6, 198.51.100.1, 10.1.1.1" }), "59")
      assert.strictEqual(yield* left(origin, { forwarded: 'for="198.51.100.1:80"' }), "58")
      assert.strictEqual(yield* left(origin, { forwarded: "for=unknown" }), "58")
      assert.strictEqual(yield* left(origin), "57")
      // Two lines of a header are one list.
      const lines = [
        "POST /api/v1/auth/nano/claim HTTP/1.1",
        "Host: x",
        "Forwarded: for=6.6.6.6",
        "Forwarded: for=198.51.100.1",
        "Content-Length: 0",
        "Connection: close"
      ]
      const { headers } = yield* exchange(port, `${lines.join("\r\n")}\r\n\r\n`)
      assert.match(headers.get("ratelimit") ?? "", /^"sign-in";r=57;/)
    })
  )
})
