import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlError } from "effect/sql"
import { PayoutAddresses } from "../../../src/accounts/payout-address/PayoutAddresses.ts"
import { Me } from "../../../src/publishing/me/Me.ts"
import { Pages } from "../../../src/web/pages/Pages.ts"
import { paidPost } from "../../payments/access/paidPost.ts"
import { authorOf } from "../../support/actors/author.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL } from "../../support/TestClient.ts"
import { Logs } from "./Logs.ts"
import { RawClient, rawClient } from "./RawClient.ts"

const SECRET = "the password is hunter2"

const lost = (reason: SqlError.SqlErrorReason) => Effect.die(new SqlError.SqlError({ reason }))

const connectionLost = lost(new SqlError.ConnectionError({ cause: new Error(SECRET), message: SECRET }))

/** Operations of this file: one of each family, and a page, which has none. */
const asked = [
  { path: "/api/v1/me", family: "json" },
  { path: "/api/v1/profile/payout-address", family: "problem" },
  { path: "/@nobody/nothing", family: "page" }
] as const

/** Replaces services so that every call of these operations ends in this way. */
const broken = (end: Effect.Effect<never>) =>
  Layer.mergeAll(
    Layer.mock(Me, { ofOwner: () => end }),
    Layer.mock(PayoutAddresses, { read: () => end }),
    Layer.mock(Pages, { post: () => end })
  )

const ask = Effect.fnUntraced(function* (path: string, id: string) {
  const raw = yield* RawClient
  const { accessToken } = yield* signIn(1)
  const logs = yield* Logs
  const before = logs.length
  const answer = yield* raw.send("GET", path, {
    headers: { authorization: `Bearer ${accessToken}`, "x-request-id": id }
  })
  return { ...answer, lines: logs.slice(before) }
})

layer(
  rawClient(database("test_http_defects"), broken(Effect.die(new Error(SECRET)))).pipe(
    Layer.provideMerge(Logs.layer)
  )
)("a defect", (it) => {
  for (const { family, path } of asked) {
    it.effect(`A defect is 500 without a detail in the ${family} family, and logged once: ${path}`, () =>
      Effect.gen(function* () {
        const { body, headers, lines, status, text } = yield* ask(path, "req-500")
        assert.strictEqual(status, 500)
        assert.notInclude(text, "hunter2")
        assert.notInclude(text, ".ts:")
        if (family === "json") {
          assert.strictEqual(headers.get("content-type"), "application/json")
          assert.strictEqual(body.statusCode, 500)
          assert.strictEqual(body.statusMessage, "Internal Server Error")
          assert.deepStrictEqual(body.data, { code: "internal_error" })
        } else if (family === "page") {
          assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
          assert.include(text, "Something went wrong")
        } else {
          assert.strictEqual(headers.get("content-type"), "application/problem+json")
          assert.strictEqual(body.type, `${BASE_URL}/problems/internal-error`)
        }
        const causes = lines.filter((it) => it.cause.includes("hunter2"))
        assert.strictEqual(causes.length, 1)
        assert.strictEqual(causes[0]?.level, "Error")
        assert.strictEqual(causes[0]?.annotations["requestId"], "req-500")
        const request = lines.find((it) => it.message === "request")
        assert.strictEqual(request?.level, "Error")
      })
    )
  }
})

layer(rawClient(database("test_http_lost"), broken(connectionLost)).pipe(Layer.provideMerge(Logs.layer)))(
  "a lost dependency",
  (it) => {
    for (const { family, path } of asked) {
      it.effect(`A lost dependency is 503 with Retry-After in the ${family} family: ${path}`, () =>
        Effect.gen(function* () {
          const { body, headers, lines, status, text } = yield* ask(path, "req-503")
          assert.strictEqual(status, 503)
          assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
          assert.notInclude(text, "hunter2")
          if (family === "json") assert.deepStrictEqual(body.data, { code: "dependency_unavailable" })
          else if (family === "page") assert.include(text, "Nothing is lost")
          else assert.strictEqual(body.type, `${BASE_URL}/problems/dependency-unavailable`)
          const told = lines.filter((it) => it.message === "A dependency is unavailable")
          assert.deepStrictEqual(
            told.map(({ annotations, level }) => [
              level,
              annotations["requestId"],
              annotations["dependency"]
            ]),
            [["Warn", "req-503", "database"]]
          )
        })
      )
    }
  }
)

const unsayable = Layer.mock(Me, { ofOwner: () => Effect.succeed({ owner: SECRET } as never) })

layer(rawClient(database("test_http_unsayable"), unsayable).pipe(Layer.provideMerge(Logs.layer)))(
  "an answer that the contract does not allow",
  (it) => {
    it.effect("An answer against the contract is a 500 in the family of its operation", () =>
      Effect.gen(function* () {
        const { body, lines, status, text } = yield* ask("/api/v1/me", "req-wrong")
        assert.strictEqual(status, 500)
        assert.deepStrictEqual(body.data, { code: "internal_error" })
        assert.notInclude(text, "hunter2")
        assert.strictEqual(lines.filter((it) => it.message === "A request crashed").length, 1)
      })
    )
  }
)

layer(rawClient(database("test_http_logs")).pipe(Layer.provideMerge(Logs.layer)))("the log", (it) => {
  const lineOf = Effect.fnUntraced(function* (method: string, path: string) {
    const raw = yield* RawClient
    const logs = yield* Logs
    const before = logs.length
    yield* raw.send(method, path, { headers: { "x-request-id": "req-1" } })
    const lines = logs.slice(before).filter((it) => it.message === "request")
    assert.strictEqual(lines.length, 1)
    const { milliseconds, ...annotations } = lines[0]?.annotations ?? {}
    assert.isNumber(milliseconds)
    return { level: lines[0]?.level as unknown, ...annotations } as Record<string, unknown>
  })

  it.effect("Each request has a line with its id, method, route, status and time", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* lineOf("POST", "/api/v1/posts/1f0e0000-0000-7000-8000-000000000000/publish"),
        {
          level: "Info",
          requestId: "req-1",
          method: "POST",
          route: "/api/v1/posts/:postId/publish",
          status: 401
        }
      )
      assert.deepStrictEqual(yield* lineOf("GET", "/api/v1/me"), {
        level: "Info",
        requestId: "req-1",
        method: "GET",
        route: "/api/v1/me",
        status: 401
      })
    })
  )

  it.effect("Refusals that strangers can cause in any number are logged only at the debug level", () =>
    Effect.gen(function* () {
      for (const [method, path, status] of [
        ["GET", "/nowhere", 404],
        ["POST", "/nowhere", 404],
        ["GET", "/api/profile/nobody", 404],
        ["PROPFIND", "/api/posts", 405]
      ] as const) {
        const line = yield* lineOf(method, path)
        assert.deepStrictEqual([line["level"], line["status"]], ["Debug", status], `${method} ${path}`)
      }
    })
  )

  it.effect("Successful reads and prices are logged only at the debug level", () =>
    Effect.gen(function* () {
      const read = yield* lineOf("GET", "/api/posts")
      assert.strictEqual(read["level"], "Debug")
      const { id } = yield* (yield* authorOf(3)).published(paidPost)
      const price = yield* lineOf("GET", `/api/posts/${id}/access`)
      assert.deepStrictEqual([price["level"], price["status"]], ["Debug", 402])
      const tip = yield* lineOf("POST", `/api/posts/${id}/tips`)
      assert.strictEqual(tip["level"], "Info")
    })
  )

  it.effect("The log never contains a credential", () =>
    Effect.gen(function* () {
      const { accessToken, refreshToken } = yield* signIn(2)
      const raw = yield* RawClient
      const headers = { "content-type": "application/json" }
      yield* raw.send("POST", "/api/v1/auth/refresh", { headers, body: JSON.stringify({ refreshToken }) })
      yield* raw.send("GET", "/api/v1/me", { headers: { authorization: `Bearer ${accessToken}` } })
      const text = JSON.stringify(yield* Logs)
      assert.notInclude(text, accessToken)
      assert.notInclude(text, refreshToken)
    })
  )
})
