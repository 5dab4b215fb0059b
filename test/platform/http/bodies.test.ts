import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { publisher } from "../../support/owners.ts"
import { BASE_URL } from "../../support/Wire.ts"
import { Edge, edge, type EdgeAnswer } from "./Edge.ts"

const MEBIBYTE = 1024 * 1024
const JSON_TYPE = { "content-type": "application/json" }

/** A body of this many bytes that is a refresh request. */
const refreshOf = (bytes: number) => `{"refreshToken":"${"x".repeat(bytes - 19)}"}`

const assertProblem = ({ body, headers, status }: EdgeAnswer, expected: number, slug: string) => {
  assert.strictEqual(status, expected)
  assert.strictEqual(headers.get("content-type"), "application/problem+json")
  assert.strictEqual(body.type, `${BASE_URL}/problems/${slug}`)
  assert.strictEqual(body.status, expected)
  assert.isString(body.title)
  assert.isString(body.detail)
}

layer(edge(database("test_http_bodies")))("a JSON body", (it) => {
  const refresh = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
    Effect.flatMap(Edge, (edge) => edge.send("POST", "/api/v1/auth/refresh", { headers, body }))

  it.effect("of 1 MiB is read, and one byte more is 413 payload-too-large", () =>
    Effect.gen(function* () {
      assert.strictEqual(Buffer.byteLength(refreshOf(MEBIBYTE)), MEBIBYTE)
      assert.notStrictEqual((yield* refresh(refreshOf(MEBIBYTE))).status, 413)
      assertProblem(yield* refresh(refreshOf(MEBIBYTE + 1)), 413, "payload-too-large")
      assertProblem(yield* refresh("[".repeat(MEBIBYTE + 1)), 413, "payload-too-large")
    })
  )

  for (const type of [
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON;charset=UTF-8"
  ]) {
    it.effect(`is read as ${type}`, () =>
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
    ""
  ]) {
    it.effect(`with the content type "${type}" is 415 unsupported-media-type`, () =>
      Effect.gen(function* () {
        const answer = yield* refresh('{"refreshToken":"x"}', { "content-type": type })
        assertProblem(answer, 415, "unsupported-media-type")
      })
    )
  }

  it.effect("without a content type is 415, and the credential is checked before it", () =>
    Effect.gen(function* () {
      const edge = yield* Edge
      const body = new TextEncoder().encode("{}")
      const headers = { "content-length": "2" }
      assertProblem(yield* refresh(body, headers), 415, "unsupported-media-type")
      const request = { headers, body }
      assertProblem(yield* edge.send("POST", "/api/v1/posts", request), 401, "invalid-credential")
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
    it.effect(`that is no JSON is 400 malformed-json: ${JSON.stringify(text)}`, () =>
      Effect.flatMap(refresh(text), (answer) =>
        Effect.sync(() => assertProblem(answer, 400, "malformed-json"))
      )
    )
  }

  for (const text of ["[]", "null", "1", '"text"', "true", ""]) {
    it.effect(`that is no object is 422 validation: ${JSON.stringify(text)}`, () =>
      Effect.gen(function* () {
        const answer = yield* refresh(text)
        assertProblem(answer, 422, "validation")
        assert.deepStrictEqual(answer.body.errors, [
          { field: "", code: "invalid", message: "Expected an object" }
        ])
      })
    )
  }

  it.effect("with half a million wrong members is answered shortly, and with a short answer", () =>
    Effect.gen(function* () {
      const edge = yield* Edge
      const { key } = yield* publisher(1)
      const wrong = [
        `{"socialLinks":[${"0,".repeat(500_000)}0]}`,
        `{${Array.from({ length: 70_000 }, (_, i) => `"m${i}":0`).join()}}`
      ]
      for (const body of wrong) {
        const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` }
        const answer = yield* edge.send("PATCH", "/api/v1/profile", { headers, body })
        assertProblem(answer, 422, "validation")
        assert.isAtMost(answer.body.errors.length, 100)
        assert.isBelow(answer.text.length, 50_000)
      }
    })
  )
})
