import { gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { completePost, publisher } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL } from "../../support/TestClient.ts"
import { RawClient, rawClient, type RawAnswer } from "./RawClient.ts"

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE
const JSON_TYPE = { "content-type": "application/json" }

const REFRESH = "/api/v1/auth/refresh"
const POST_ID = "00000000-0000-7000-8000-000000000000"

/** Returns a refresh request whose body has this many bytes. */
const refreshOf = (bytes: number) => `{"refreshToken":"x"}`.padEnd(bytes)

const assertProblem = ({ body, headers, status }: RawAnswer, expected: number, slug: string) => {
  assert.strictEqual(status, expected)
  assert.strictEqual(headers.get("content-type"), "application/problem+json")
  assert.strictEqual(body.type, `${BASE_URL}/problems/${slug}`)
  assert.strictEqual(body.status, expected)
  assert.isString(body.title)
  assert.isString(body.detail)
}

layer(rawClient(database("test_http_bodies")))("a JSON body", (it) => {
  const refresh = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
    Effect.flatMap(RawClient, (raw) => raw.send("POST", REFRESH, { headers, body }))

  const declared = (body: string) => ({ ...JSON_TYPE, "content-length": String(body.length) })

  it.effect("A body of 16 KiB is read, and one byte more is 413 payload-too-large", () =>
    Effect.gen(function* () {
      const largest = refreshOf(16 * KIBIBYTE)
      assert.strictEqual(Buffer.byteLength(largest), 16 * KIBIBYTE)
      assertProblem(yield* refresh(largest), 401, "session-expired")
      for (const body of [refreshOf(16 * KIBIBYTE + 1), "[".repeat(MEBIBYTE)]) {
        assertProblem(yield* refresh(body), 413, "payload-too-large")
        assertProblem(yield* refresh(body, declared(body)), 413, "payload-too-large")
      }
    })
  )

  it.effect("A body that says it is too large is refused unread", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const headers = { ...JSON_TYPE, "content-length": String(16 * KIBIBYTE + 1) }
      assertProblem(yield* raw.send("POST", REFRESH, { headers, body: "{}" }), 413, "payload-too-large")
    })
  )

  it.effect("The body of a Post has at most 4 MiB", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const { key } = yield* publisher(3)
      const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` }
      const create = (bytes: number) =>
        raw.send("POST", "/api/v1/posts", { headers, body: JSON.stringify(completePost).padEnd(bytes) })
      assert.strictEqual((yield* create(4 * MEBIBYTE)).status, 201)
      assertProblem(yield* create(4 * MEBIBYTE + 1), 413, "payload-too-large")
    })
  )

  for (const type of [
    "application/json",
    "application/json; charset=utf-8",
    'application/json; charset="utf-8"',
    "Application/JSON;charset=UTF-8"
  ]) {
    it.effect(`A body of ${type} is read`, () =>
      Effect.gen(function* () {
        const answer = yield* refresh('{"refreshToken":"x"}', { "content-type": type })
        assertProblem(answer, 401, "session-expired")
      })
    )
  }

  for (const type of [
    "text/plain",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b",
    "application/octet-stream",
    "application/jsonx",
    "application/json; charset=iso-8859-1",
    'application/json; charset="utf-16"',
    ""
  ]) {
    it.effect(`A body with the content type "${type}" is 415 unsupported-media-type`, () =>
      Effect.gen(function* () {
        const answer = yield* refresh('{"refreshToken":"x"}', { "content-type": type })
        assertProblem(answer, 415, "unsupported-media-type")
      })
    )
  }

  for (const coding of ["gzip", "GZIP", "br", "gzip, identity"]) {
    it.effect(
      `A body in the coding ${coding} is 415 in every family, and the answer names the coding to send`,
      () =>
        Effect.gen(function* () {
          const raw = yield* RawClient
          const headers = { ...JSON_TYPE, "content-encoding": coding }
          const answer = yield* refresh(gzipSync('{"refreshToken":"x"}'), headers)
          assertProblem(answer, 415, "unsupported-media-type")
          assert.strictEqual(answer.headers.get("accept-encoding"), "identity")
          assert.match(answer.body.detail, /without Content-Encoding/)
          for (const path of ["/api/payment-sessions", "/mcp", "/api/v1/images"]) {
            const other = yield* raw.send("POST", path, { headers, body: gzipSync("{}") })
            assert.strictEqual(other.status, 415, path)
            assert.strictEqual(other.headers.get("accept-encoding"), "identity")
          }
        })
    )
  }

  it.effect("The coding identity leaves a body as it is", () =>
    Effect.gen(function* () {
      const answer = yield* refresh(refreshOf(64), { ...JSON_TYPE, "content-encoding": "identity" })
      assertProblem(answer, 401, "session-expired")
    })
  )

  it.effect("A body without a content type is 415, and the credential is checked before it", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const body = new TextEncoder().encode("{}")
      const headers = { "content-length": "2" }
      assertProblem(yield* refresh(body, headers), 415, "unsupported-media-type")
      const request = { headers, body }
      assertProblem(yield* raw.send("POST", "/api/v1/posts", request), 401, "invalid-credential")
    })
  )

  for (const text of [
    "{",
    "{'a':1}",
    "NaN",
    "{}{}",
    '{"a":1,}',
    "\ufeff\ufeff{}",
    " ",
    "undefined",
    '"\t"'
  ]) {
    it.effect(`A body that is not JSON is 400 malformed-json: ${JSON.stringify(text)}`, () =>
      Effect.flatMap(refresh(text), (answer) =>
        Effect.sync(() => {
          assertProblem(answer, 400, "malformed-json")
          assert.match(answer.body.detail, /^Send the body as JSON\. Line 1, column \d+: /)
        })
      )
    )
  }

  for (const bytes of [
    [0x22, 0xe9, 0x22],
    [0x22, 0xc3, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xf8, 0x88, 0x80, 0x80, 0x22],
    [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]
  ]) {
    it.effect(
      `A body that is not UTF-8 is 400 malformed-json: ${bytes.map((it) => it.toString(16)).join(" ")}`,
      () =>
        Effect.map(refresh(new Uint8Array(bytes)), (answer) => assertProblem(answer, 400, "malformed-json"))
    )
  }

  for (const text of ["[]", "null", "1", '"text"', "true"]) {
    it.effect(`A body that is not an object is 422 validation: ${JSON.stringify(text)}`, () =>
      Effect.gen(function* () {
        const answer = yield* refresh(text)
        assertProblem(answer, 422, "validation")
        assert.deepStrictEqual(answer.body.errors, [
          { field: "body", code: "invalid", message: "Send an object" }
        ])
      })
    )
  }

  for (const [index, type] of ["none", "application/json", "text/plain"].entries()) {
    const headers: Record<string, string> = type === "none" ? {} : { "content-type": type }
    it.effect(`An empty body of any type is {}: ${type}`, () =>
      Effect.gen(function* () {
        const raw = yield* RawClient
        const empty = { ...headers, "content-length": "0" }
        const missing = yield* raw.send("POST", REFRESH, { headers: empty })
        assertProblem(missing, 422, "validation")
        assert.deepStrictEqual(
          missing.body.errors.map((it: any) => [it.field, it.code]),
          [["refreshToken", "required"]]
        )
        const owner = yield* publisher(10 + index)
        const authorization = `Bearer ${owner.accessToken}`
        const issued = yield* raw.send("POST", "/api/v1/api-keys", { headers: { ...empty, authorization } })
        assert.strictEqual(issued.status, 200)
        const rotate = `/api/v1/api-keys/${issued.body.apiKey.keyId}/rotate`
        const rotated = yield* raw.send("POST", rotate, { headers: { ...headers, authorization } })
        assert.strictEqual(rotated.status, 200)
      })
    )
  }

  it.effect("A refusal lists its first twenty errors, counts the others, and says both in one line", () =>
    Effect.gen(function* () {
      const members = Array.from({ length: 300 }, (_, i) => `"m${i}":0`)
      const { body } = yield* refresh(`{${members.join()}}`)
      assert.strictEqual(body.errors.length, 20)
      // The missing token is an error, too.
      const told = body.detail.split("; ").length - 1
      assert.isTrue(body.detail.endsWith(`; and ${301 - told} more`), body.detail)
      assert.isAtMost(body.detail.length, 240)
    })
  )

  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

  /** A body with this many levels: the object is the first. */
  const ofLevels = (levels: number) => `{"title":${nested(levels - 1)}}`

  it.effect("A body has at most 32 levels, and one more is 422 validation", () =>
    Effect.gen(function* () {
      const fields = (answer: RawAnswer) => answer.body.errors.map((it: any) => [it.field, it.code])
      const deepest = yield* refresh(ofLevels(32))
      assertProblem(deepest, 422, "validation")
      assert.deepStrictEqual(fields(deepest), [
        ["title", "unknown"],
        ["refreshToken", "required"]
      ])
      for (const body of [ofLevels(33), ofLevels(33).slice(0, -30), "[".repeat(16 * KIBIBYTE)]) {
        const refused = yield* refresh(body)
        assertProblem(refused, 422, "validation")
        assert.deepStrictEqual(refused.body.errors, [
          {
            field: "body",
            code: "too_deep",
            message: "Nest objects and arrays at most 32 levels deep; this body has more"
          }
        ])
      }
      const inText = yield* refresh(JSON.stringify({ refreshToken: nested(40) }))
      assertProblem(inText, 401, "session-expired")
    })
  )

  it.effect("A body with too many levels is a 422 of the family of its operation", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const { accessToken } = yield* publisher(2)
      const headers = { ...JSON_TYPE, authorization: `Bearer ${accessToken}`, "idempotency-key": "k" }
      const path = `/api/v1/posts/${POST_ID}/comments`
      const { body, status } = yield* raw.send("POST", path, { headers, body: ofLevels(33) })
      assert.deepStrictEqual([status, body.statusCode, body.data.code], [422, 422, "validation"])
      assert.strictEqual(body.data.errors[0].code, "too_deep")
    })
  )

  const hostile = {
    levels: ofLevels(1_900_000),
    "levels of objects": '{"a":'.repeat(700_000),
    "unknown members": `{${Array.from({ length: 110_000 }, (_, i) => `"m${i}":0`).join()}}`,
    elements: `{"socialLinks":[${"{},".repeat(340_000)}{}]}`
  }

  for (const [name, body] of Object.entries(hostile)) {
    it.effect(`A body with very many ${name} is answered within a few milliseconds`, () =>
      Effect.gen(function* () {
        const raw = yield* RawClient
        const { key } = yield* publisher(1)
        const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` }
        const millis: Array<number> = []
        for (let i = 0; i < 5; i++) {
          const before = process.threadCpuUsage()
          const [method, path] =
            i % 2 === 0 ? ["POST", "/api/v1/posts"] : ["PATCH", `/api/v1/posts/${POST_ID}`]
          const answer = yield* raw.send(method, path, { headers, body })
          const { system, user } = process.threadCpuUsage(before)
          millis.push((system + user) / 1000)
          assertProblem(answer, 422, "validation")
          assert.isBelow(answer.text.length, 1_000)
        }
        // Time of the processor, wide enough for a slow one: a decoder that sees all values takes a hundred times as long.
        assert.isBelow(Math.min(...millis), 100)
      })
    )
  }
})
