import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { publisher } from "../../support/actors/owner.ts"
import { type Operation, operations } from "../../support/contract.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient, type TestAnswer, type TestRequest } from "../../support/TestClient.ts"
import { assertProblem } from "./flows.ts"

/** The routes of each credential (spec 4.1 to 4.3, 5). */
const ownerRoutes = [
  "POST /api/v1/auth/logout",
  "GET /api/v1/api-keys",
  "POST /api/v1/api-keys",
  "POST /api/v1/api-keys/:keyId/revoke",
  "POST /api/v1/api-keys/:keyId/rotate",
  "GET /api/v1/profile/payout-address",
  "PUT /api/v1/profile/payout-address"
]
/** Operations of readers, as the tables of spec 4.6 have them. */
const READER_ROUTES = 28

/** The routes of readers (spec 4.6). */
const isReaderRoute = ({ path }: Operation) =>
  /^\/api\/v1\/(posts\/:postId\/(comments|reactions|reports)|comments|follows|notifications|notification-preferences)(\/|$)/.test(
    path
  )

const isKeyRoute = (operation: Operation) =>
  /^\/api\/v1\/(posts|profile)(\/|$)/.test(operation.path) &&
  !operation.path.startsWith("/api/v1/profile/payout-address") &&
  !isReaderRoute(operation)

const isOwnerRoute = (operation: Operation) =>
  ownerRoutes.includes(`${operation.method} ${operation.path.replace(/\/$/, "")}`) || isReaderRoute(operation)

const assertRefused = (operation: Operation, answer: TestAnswer) => {
  assert.strictEqual(answer.status, 401, `${operation.name}: ${answer.text}`)
  assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
  assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
  if (operation.family === "problem") return assertProblem(answer, 401, "invalid-credential")
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  assert.deepInclude(answer.body, { statusCode: 401, data: { code: "unauthorized" } })
}

layer(service(database("test_credentials")))("credentials (5)", (it) => {
  const call = (operation: Operation, request: TestRequest) =>
    Effect.flatMap(TestClient, (client) =>
      client.send(
        operation.method,
        operation.path.replaceAll(/:[A-Za-z]+/g, "00000000-0000-4000-8000-000000000000"),
        {
          // Every operation refuses this body, but checks the credential first.
          ...(operation.method === "GET" ? {} : { body: { no: "such member" } }),
          ...request
        }
      )
    )

  it.effect("Every private route refuses invalid credentials in its own error family", () =>
    Effect.gen(function* () {
      const { accessToken, key } = yield* publisher(1)
      const isPrivate = (it: Operation) => isOwnerRoute(it) || isKeyRoute(it) || it.path === "/api/v1/me"
      const routes = operations.filter(isPrivate)
      assert.isAbove(routes.length, 14)
      const invalid: ReadonlyArray<string> = [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        `Basic ${accessToken}`,
        accessToken,
        key,
        `Bearer${key}`,
        `Bearer ${key}x`,
        `Bearer ${key.slice(0, -1)}`,
        `Bearer ${accessToken} ${accessToken}`,
        `Bearer ppk_`,
        `Bearer ${key.slice(0, 21)}${"0".repeat(43)}`,
        "Bearer ☃".replace("☃", "\u00e9")
      ]
      for (const operation of routes) {
        assertRefused(operation, yield* call(operation, {}))
        for (const authorization of invalid) {
          assertRefused(operation, yield* call(operation, { headers: { authorization } }))
        }
      }
    })
  )

  it.effect("An owner session does not authenticate Publishing routes", () =>
    Effect.gen(function* () {
      const { accessToken, refreshToken } = yield* publisher(2)
      const routes = operations.filter(isKeyRoute)
      assert.isAbove(routes.length, 6)
      for (const operation of routes) {
        assertRefused(operation, yield* call(operation, { token: accessToken }))
        assertRefused(operation, yield* call(operation, { token: refreshToken }))
      }
    })
  )

  it.effect("Neither a Publishing key nor a refresh token authenticates owner routes", () =>
    Effect.gen(function* () {
      const { key, refreshToken } = yield* publisher(3)
      const routes = operations.filter(isOwnerRoute)
      assert.lengthOf(
        routes.filter((it) => !isReaderRoute(it)),
        ownerRoutes.length
      )
      assert.lengthOf(routes.filter(isReaderRoute), READER_ROUTES)
      for (const operation of routes) {
        assertRefused(operation, yield* call(operation, { token: key }))
        assertRefused(operation, yield* call(operation, { token: refreshToken }))
      }
    })
  )

  it.effect("A refusal names the kind of credential that is expected and the kind that came", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken, key, refreshToken } = yield* publisher(7)
      const said = (path: string, headers: Record<string, string>) =>
        Effect.map(client.send("GET", path, { headers }), ({ body }) => String(body.detail ?? body.message))
      const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
      for (const owners of ["/api/v1/api-keys", "/api/v1/account/email"]) {
        assert.match(
          yield* said(owners, {}),
          /^The request has no "Authorization: Bearer" header.* access token /
        )
        assert.match(
          yield* said(owners, { authorization: "Basic x" }),
          /^The request has no "Authorization: Bearer" header/
        )
        assert.match(yield* said(owners, bearer(key)), /^A Publishing key was sent.* access token /)
        assert.match(yield* said(owners, bearer(refreshToken)), /^A refresh token was sent.* access token /)
        assert.match(yield* said(owners, bearer(`${accessToken}x`)), /^The access token .* refresh/)
        assert.match(yield* said(owners, bearer("x")), /unknown form.* access token /)
      }
      const wrongKey = `${key.slice(0, 21)}${"0".repeat(43)}`
      assert.match(
        yield* said("/api/v1/profile", {}),
        /^The request has no "Authorization: Bearer" header.* Publishing key/
      )
      assert.match(
        yield* said("/api/v1/profile", bearer(accessToken)),
        /^An access token was sent.* Publishing key/
      )
      assert.match(yield* said("/api/v1/profile", bearer(refreshToken)), /^A refresh token was sent/)
      assert.match(yield* said("/api/v1/profile", bearer(wrongKey)), /^The Publishing key is wrong/)
      assert.match(yield* said("/api/v1/me", {}), / access token .* or a Publishing key/)
      assert.match(yield* said("/api/v1/me", bearer(wrongKey)), /^The Publishing key is wrong/)
      assert.match(yield* said("/api/v1/me", bearer(refreshToken)), /^A refresh token was sent/)
      assert.match(yield* said("/api/posts", { authorization: "Basic x" }), /leave the header out/)
      assert.match(yield* said("/api/posts", bearer(refreshToken)), /^A refresh token was sent/)
    })
  )

  it.effect("A public read treats a Publishing key as anonymous and refuses an invalid one", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken, key } = yield* publisher(8)
      const anonymous = yield* client.send("GET", "/api/posts")
      const read = yield* client.send("GET", "/api/posts", { token: key })
      assert.strictEqual(read.status, 200, read.text)
      assert.strictEqual(read.text, anonymous.text)
      for (const name of ["cache-control", "etag", "vary"])
        assert.strictEqual(read.headers.get(name), anonymous.headers.get(name))
      const { body } = yield* client.send("GET", "/api/v1/api-keys", { token: accessToken })
      yield* client.send("POST", `/api/v1/api-keys/${body.keys[0].keyId}/revoke`, { token: accessToken })
      for (const token of [key, `${key.slice(0, -1)}`, `${key.slice(0, 21)}${"0".repeat(43)}`]) {
        const refused = yield* client.send("GET", "/api/posts", { token })
        assert.strictEqual(refused.status, 401)
        assert.strictEqual(refused.body.data.code, "unauthorized")
      }
    })
  )

  it.effect("The route /api/v1/me accepts either credential and names its kind", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken, handle, key, wallet } = yield* publisher(4)
      const owner = yield* client.send("GET", "/api/v1/me", { token: accessToken })
      assert.deepInclude(owner.body.credential, {
        kind: "owner_session",
        method: "nano",
        scopes: [],
        keyId: null
      })
      assert.deepStrictEqual(owner.body.authority, { account: true, publish: false, read: true })
      assert.strictEqual(owner.body.payout.payoutAddress, wallet.account)

      const publishing = yield* client.send("GET", "/api/v1/me", { token: key })
      assert.deepInclude(publishing.body.credential, {
        kind: "publishing_key",
        method: null,
        scopes: ["posts:publish"],
        keyId: key.split("_")[1]
      })
      assert.deepStrictEqual(publishing.body.authority, { account: false, publish: true, read: false })
      assert.strictEqual(publishing.body.owner.id, owner.body.owner.id)
      assert.strictEqual(publishing.body.owner.handle, handle)
      assert.notInclude(publishing.text, wallet.account)
      for (const { headers } of [owner, publishing]) {
        assert.strictEqual(headers.get("cache-control"), "private, no-store")
      }
    })
  )

  it.effect("The scheme Bearer is read in any case", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken, key } = yield* publisher(5)
      for (const scheme of ["Bearer", "bearer", "BEARER"]) {
        for (const token of [accessToken, key]) {
          const headers = { authorization: `${scheme} ${token}` }
          assert.strictEqual((yield* client.send("GET", "/api/v1/me", { headers })).status, 200)
        }
      }
    })
  )

  it.effect("A cookie is never an identity", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken } = yield* publisher(6)
      const headers = { cookie: `token=${accessToken}; authorization=Bearer ${accessToken}` }
      assert.strictEqual((yield* client.send("GET", "/api/v1/me", { headers })).status, 401)
    })
  )
})
