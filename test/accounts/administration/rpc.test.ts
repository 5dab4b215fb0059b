import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const operationId = "00000000-0000-7000-8000-000000000000"

const MAX_BYTES = 64 * 1024

const call = (id: number, tag = "uploads.hold") =>
  `${JSON.stringify({ _tag: "Request", id: String(id), tag, payload: { operationId }, headers: [] })}\n`

layer(service(database("test_administrator_rpc"), 1, { adminToken: ADMIN_TOKEN }))("/rpc", (it) => {
  const send = Effect.fnUntraced(function* (body: string, token?: string) {
    const client = yield* TestClient
    return yield* client.send("POST", "/rpc", { body, ...(token === undefined ? {} : { token }) })
  })

  for (const [what, token] of [
    ["no credential", undefined],
    ["another token", `${ADMIN_TOKEN.slice(0, -1)}x`]
  ] as const) {
    for (const [of, body] of [
      ["one call", call(1)],
      ["17 calls", Array.from({ length: 17 }, (_, id) => call(id)).join("")],
      ["2 MB", "x".repeat(2_000_000)],
      ["nothing", ""]
    ] as const) {
      it.effect(`answers 401 to a body of ${of} with ${what}`, () =>
        Effect.gen(function* () {
          const answer = yield* send(body, token)
          assert.strictEqual(answer.status, 401)
          assert.match(answer.body.type, /invalid-credential$/)
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        })
      )
    }
  }

  it.effect("reads a body up to 64 KiB and answers 413 to a larger one", () =>
    Effect.gen(function* () {
      const within = call(1).padEnd(MAX_BYTES, "\n")
      const answer = yield* send(within, ADMIN_TOKEN)
      assert.strictEqual(answer.status, 200)
      assert.include(answer.text, "UploadNotFound")
      for (const size of [MAX_BYTES + 1, 2_000_000]) {
        const refused = yield* send(call(1).padEnd(size, "\n"), ADMIN_TOKEN)
        assert.strictEqual(refused.status, 413, String(size))
        assert.match(refused.body.type, /payload-too-large$/)
      }
    })
  )

  for (const tag of ["uploads.hold", "uploads.unknown"]) {
    for (const count of [16, 17, 400]) {
      it.effect(`answers each of ${count} calls of ${tag} in one body`, () =>
        Effect.gen(function* () {
          const body = Array.from({ length: count }, (_, id) => call(id, tag)).join("")
          const { status, text } = yield* send(body, ADMIN_TOKEN)
          assert.strictEqual(status, 200)
          const answers = text
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
          assert.lengthOf(answers, count)
          const ids = new Set(answers.map(({ requestId }) => String(requestId)))
          assert.strictEqual(ids.size, count)
          for (const { _tag, exit } of answers) {
            assert.strictEqual(_tag, "Exit")
            assert.strictEqual(exit._tag, "Failure")
          }
        })
      )
    }
  }
})
