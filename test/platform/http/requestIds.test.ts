import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operations } from "../../support/contract.ts"
import { database } from "../../support/Database.ts"
import { LOCAL } from "../../support/TestClient.ts"
import { RawClient, rawClient } from "./RawClient.ts"

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

layer(rawClient(database("test_http_request_ids")))("the request id", (it) => {
  const idOf = Effect.fnUntraced(function* (sent?: string) {
    const raw = yield* RawClient
    const { headers } = yield* raw.send(
      "GET",
      "/",
      sent === undefined ? {} : { headers: { "x-request-id": sent } }
    )
    return headers.get("x-request-id") ?? ""
  })

  for (const valid of ["a", "~", "!", "x".repeat(128), "a/b;c=d,{e}\"'<f>"]) {
    it.effect(
      `The id of a caller is kept: ${valid.length} visible ASCII characters, ${valid.slice(0, 9)}`,
      () => Effect.map(idOf(valid), (id) => assert.strictEqual(id, valid))
    )
  }

  for (const invalid of ["x".repeat(129), "", "é", "a b", "a\tb", "\xff", "a, b"]) {
    it.effect(
      `An id that is not 1 to 128 visible ASCII characters is replaced: ${JSON.stringify(invalid.slice(0, 9))}`,
      () => Effect.map(idOf(invalid), (id) => assert.match(id, UUID_V7))
    )
  }

  it.effect("A request without an id gets a new one", () =>
    Effect.gen(function* () {
      const first = yield* idOf()
      assert.match(first, UUID_V7)
      assert.notStrictEqual(yield* idOf(), first)
    })
  )

  it.effect("Every response has an id, also refusals, pages, preflights and unknown paths", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const others = [
        "/",
        "/docs",
        "/openapi.json",
        "/metrics",
        "/health/live",
        "/health/ready",
        "/problems/validation"
      ]
      const gets = [...others, "/problems/none", "/nowhere", "/@nobody/nothing"].map(
        (path) => ["GET", path] as const
      )
      const asked = operations.map(({ method, path }) => [method, path.replaceAll(/:\w+/g, "x")] as const)
      for (const [method, path] of [...gets, ...asked]) {
        for (const it of [method, "OPTIONS", "HEAD", "PUT", "PROPFIND"]) {
          const named = { ...LOCAL, headers: { ...LOCAL.headers, "x-request-id": "mine" } }
          const { headers } = yield* raw.send(it, path, named)
          assert.strictEqual(headers.get("x-request-id"), "mine", `${it} ${path}`)
        }
      }
    })
  )
})
