import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { JSON_VALUES_MAX } from "../../../schemas/platform/jsonBounds.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"
import { webApp } from "../../support/webApp.ts"

const operationId = "00000000-0000-7000-8000-000000000000"

const CALLS_BYTES_MAX = 64 * 1024
const CALL_BYTES_MAX = 8 * 1024 * 1024
const ANSWERS_BYTES_MAX = 16 * 1024 * 1024

const call = (id: number, tag = "uploads.hold", payload: object = { operationId }) =>
  `${JSON.stringify({ _tag: "Request", id: String(id), tag, payload, headers: [] })}\n`

/** A call with a member that the procedure does not know. */
const callOfPadding = (padding: string) =>
  JSON.stringify({
    _tag: "Request",
    id: "1",
    tag: "uploads.hold",
    payload: { operationId, padding },
    headers: []
  })

layer(service(database("test_administrator_rpc"), 1, { adminToken: ADMIN_TOKEN }))("/rpc", (it) => {
  const send = Effect.fnUntraced(function* (
    body: string,
    token?: string,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const client = yield* TestClient
    return yield* client.send("POST", "/rpc", { body, headers, ...(token === undefined ? {} : { token }) })
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
      it.effect(`The service answers 401 to a body of ${of} with ${what}`, () =>
        Effect.gen(function* () {
          const answer = yield* send(body, token)
          assert.strictEqual(answer.status, 401)
          assert.match(answer.body.type, /invalid-credential$/)
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        })
      )
    }
  }

  it.effect("Several calls together may have 64 KiB, and more is answered with 413", () =>
    Effect.gen(function* () {
      const calls = `${call(1)}${call(2)}`
      const answer = yield* send(calls.padEnd(CALLS_BYTES_MAX, "\n"), ADMIN_TOKEN)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.text.split("UploadNotFound").length, 3)
      for (const size of [CALLS_BYTES_MAX + 1, 2_000_000]) {
        const refused = yield* send(calls.padEnd(size, "\n"), ADMIN_TOKEN)
        assert.strictEqual(refused.status, 413, String(size))
        assert.match(refused.body.type, /payload-too-large$/)
      }
    })
  )

  it.effect("A single call may have 8 MiB, and a larger one is answered with 413", () =>
    Effect.gen(function* () {
      /** A call of this many bytes. Its last byte ends the line, or not. */
      const callOf = (bytes: number, end: "\n" | "") => {
        const padding = "x".repeat(bytes - callOfPadding("").length - end.length)
        return `${callOfPadding(padding)}${end}`
      }
      const largest = yield* send(callOf(CALL_BYTES_MAX, "\n"), ADMIN_TOKEN)
      assert.strictEqual(largest.status, 200)
      assert.include(largest.text, "UploadNotFound")
      for (const headers of [{}, { "content-length": String(CALL_BYTES_MAX + 1) }]) {
        const refused = yield* send(callOf(CALL_BYTES_MAX + 1, "\n"), ADMIN_TOKEN, headers)
        assert.strictEqual(refused.status, 413)
        assert.match(refused.body.type, /payload-too-large$/)
      }
      // The message and the payload have seven members beside the padding, and the empty list of headers counts as one.
      const callOfValues = (count: number) => {
        const padding = Array.from({ length: count - 8 }, () => "x".repeat(200))
        return call(1, "uploads.hold", { operationId, padding })
      }
      assert.isAbove(callOfValues(JSON_VALUES_MAX).length, CALLS_BYTES_MAX)
      assert.strictEqual((yield* send(callOfValues(JSON_VALUES_MAX), ADMIN_TOKEN)).status, 200)
      assert.strictEqual((yield* send(callOfValues(JSON_VALUES_MAX + 1), ADMIN_TOKEN)).status, 413)
      const unauthorized = yield* send(callOf(CALL_BYTES_MAX + 1, "\n"))
      assert.strictEqual(unauthorized.status, 401)
    })
  )

  it.effect("Calls may have 32 levels, and deeper ones of any size are answered with 400", () =>
    Effect.gen(function* () {
      // The message and its payload are the first two levels.
      const callOf = (levels: number, id = 1) =>
        call(id, "uploads.hold", { operationId, padding: 0 }).replace(
          '"padding":0',
          `"padding":${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}`
        )
      const deepest = yield* send(`${callOf(32)}${callOf(32, 2)}`, ADMIN_TOKEN)
      assert.strictEqual(deepest.status, 200)
      for (const body of [
        callOf(33),
        `${callOf(32)}${callOf(33, 2)}`,
        callOf(3_000_000),
        "[".repeat(60_000)
      ]) {
        const refused = yield* send(body, ADMIN_TOKEN)
        assert.strictEqual(refused.status, 400)
        assert.match(refused.body.type, /malformed-request$/)
        assert.match(refused.body.detail, /at most 32 levels/)
      }
    })
  )

  it.effect("Answers to one body of more than 16 MiB together are replaced by 413", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id: postId } = yield* author.draft({ freeContentMarkdown: "x".repeat(200_000) })
      const read = (id: number) =>
        JSON.stringify({
          _tag: "Request",
          id: `${100 + id}`,
          tag: "posts.read",
          payload: { postId },
          headers: []
        })
      const sendReads = (count: number) =>
        send(Array.from({ length: count }, (_, id) => `${read(id)}\n`).join(""), ADMIN_TOKEN, {
          "x-api-key": author.key
        })
      const one = (yield* sendReads(1)).text.length
      const most = Math.floor(ANSWERS_BYTES_MAX / one)
      const answered = yield* sendReads(most)
      assert.strictEqual(answered.status, 200)
      assert.strictEqual(answered.text.length, most * one)
      const refused = yield* sendReads(most + 1)
      assert.strictEqual(refused.status, 413)
      assert.match(refused.body.detail, /split the calls/)
    })
  )

  it.effect("Two large bodies are read at the same time, and a third one after the first answer", () =>
    Effect.gen(function* () {
      const answer = yield* webApp
      const begun: Array<number> = []
      const controllers: Array<ReadableStreamDefaultController> = []
      const sendSlowly = (n: number) => {
        const body = new ReadableStream(
          {
            pull: (controller) => {
              if (controllers[n] === undefined) begun.push(n)
              controllers[n] = controller
            }
          },
          { highWaterMark: 0 }
        )
        const headers = {
          authorization: `Bearer ${ADMIN_TOKEN}`,
          "content-length": String(CALLS_BYTES_MAX + 1)
        }
        return answer(new Request(`${BASE_URL}/rpc`, { method: "POST", headers, body, duplex: "half" }))
      }
      const settled = Effect.repeat(Effect.yieldNow, { times: 1000 })
      const requests = []
      for (const n of [0, 1, 2]) {
        requests.push(yield* Effect.forkChild(sendSlowly(n)))
        yield* settled
      }
      assert.deepStrictEqual(begun, [0, 1])
      const end = (n: number) =>
        Effect.sync(() => {
          controllers[n]?.enqueue(new TextEncoder().encode(call(n)))
          controllers[n]?.close()
        })
      yield* end(1)
      assert.include((yield* Fiber.join(requests[1]!)).text, "UploadNotFound")
      yield* settled
      assert.deepStrictEqual(begun, [0, 1, 2])
      // A client that goes away gives its place back, too.
      yield* Fiber.interrupt(requests[0]!)
      requests.push(yield* Effect.forkChild(sendSlowly(3)))
      yield* settled
      assert.deepStrictEqual(begun, [0, 1, 2, 3])
      yield* Effect.andThen(end(2), end(3))
      for (const n of [2, 3]) assert.strictEqual((yield* Fiber.join(requests[n]!)).status, 200)
    })
  )

  for (const tag of ["uploads.hold", "uploads.unknown"]) {
    for (const count of [16, 17, 400]) {
      it.effect(`Each of ${count} calls of ${tag} in one body is answered`, () =>
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
