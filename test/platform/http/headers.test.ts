import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { completePost, publisher } from "../../support/actors/owner.ts"
import { operations } from "../../support/contract.ts"
import { database } from "../../support/Database.ts"
import { LOCAL, TestClient } from "../../support/TestClient.ts"
import { RawClient, rawClient } from "./RawClient.ts"

const EXPOSED =
  "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, x-idempotency-replay, ETag, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Content-Disposition, Content-Range, Accept-Ranges, Repr-Digest, X-Purchase-Receipt"

const readsOfBrowsers = ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "X-Post-Revision"]

/** Headers of payments, the ones that the reference client of x402 asks for among them. */
const headersOfTraces = ["traceparent", "tracestate"]

const headersOfPayments = [
  "PAYMENT-SIGNATURE",
  "X-PAYMENT",
  "X-Purchase-Receipt",
  "X-Gift-Token",
  "X-Session-Token",
  "Range",
  "If-Range",
  "Access-Control-Expose-Headers"
]

layer(rawClient(database("test_http_headers")))("headers of every response", (it) => {
  it.effect("Any origin may read a response and these headers, without credentials", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const paths = ["/", "/api/posts", "/api/v1/me", "/nowhere", "/problems/forbidden", "/openapi.json"]
      for (const path of paths) {
        const { headers } = yield* raw.send("GET", path, { headers: { origin: "https://reader.test" } })
        assert.strictEqual(headers.get("access-control-allow-origin"), "*", path)
        assert.strictEqual(headers.get("access-control-expose-headers"), EXPOSED, path)
        assert.isNull(headers.get("access-control-allow-credentials"), path)
      }
    })
  )

  it.effect("A preflight of every operation allows its method and the headers it reads", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      for (const { method, path } of operations) {
        const { headers, status, text } = yield* raw.send("OPTIONS", path.replaceAll(/:\w+/g, "x"), {
          headers: {
            origin: "https://reader.test",
            "access-control-request-method": method,
            "access-control-request-headers": "authorization,content-type"
          }
        })
        assert.strictEqual(status, 204)
        assert.strictEqual(text, "")
        assert.strictEqual(headers.get("access-control-allow-origin"), "*")
        assert.include(headers.get("access-control-allow-methods")?.split(", ") ?? [], method)
        const allowed = headers.get("access-control-allow-headers")?.split(", ") ?? []
        assert.includeMembers(allowed, [...readsOfBrowsers, ...headersOfPayments, ...headersOfTraces])
        assert.isNull(headers.get("access-control-allow-credentials"))
      }
    })
  )

  it.effect("Browsers neither guess content types nor send full addresses on", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      for (const path of [
        "/",
        "/docs",
        "/api/posts",
        "/api/v1/me",
        "/nowhere",
        "/problems/forbidden",
        "/metrics"
      ]) {
        const { headers } = yield* raw.send("GET", path, LOCAL)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
        assert.strictEqual(headers.get("referrer-policy"), "strict-origin-when-cross-origin", path)
      }
    })
  )

  it.effect("Owner-private answers and refusals carry Cache-Control: private, no-store", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const client = yield* TestClient
      const owner = yield* publisher(1)
      const post = yield* client.send("POST", "/api/v1/posts", { token: owner.key, body: completePost })
      const isPrivate = ({ path }: { readonly path: string }) => path.startsWith("/api/v1/")
      // Logging out comes last, because it ends the session that the others need.
      const asked = operations
        .filter(isPrivate)
        .toSorted((a, b) => Number(a.path.endsWith("logout")) - Number(b.path.endsWith("logout")))
      const statuses = new Set<number>()
      for (const { method, path } of asked) {
        for (const token of [undefined, owner.accessToken, owner.key]) {
          const { headers, status } = yield* raw.send(method, path.replaceAll(/:\w+/g, post.body.id), {
            headers: {
              ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
              "content-type": "application/json",
              "idempotency-key": "private"
            },
            ...(method === "GET" ? {} : { body: "{}" })
          })
          statuses.add(status)
          assert.strictEqual(headers.get("cache-control"), "private, no-store", `${method} ${path} ${status}`)
        }
      }
      assert.includeMembers([...statuses], [200, 401, 404, 422])
    })
  )

  it.effect("A public read with an owner Bearer is private, and caches keep the two apart", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const owner = yield* publisher(2)
      const anonymous = yield* raw.send("GET", "/api/posts")
      assert.strictEqual(
        anonymous.headers.get("cache-control"),
        "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
      )
      assert.strictEqual(anonymous.headers.get("vary"), "Authorization, Accept-Encoding")
      const known = yield* raw.send("GET", "/api/posts", {
        headers: { authorization: `Bearer ${owner.accessToken}` }
      })
      assert.strictEqual(known.headers.get("cache-control"), "private, no-store")
      assert.strictEqual(known.headers.get("vary"), "Authorization")
    })
  )

  it.effect("An error of a public read also varies by the credential", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      for (const path of ["/api/posts/none", "/api/posts?page=x", "/api/profile/none"]) {
        const { headers, status } = yield* raw.send("GET", path)
        assert.isAtLeast(status, 400, path)
        assert.strictEqual(headers.get("vary"), "Authorization", path)
      }
      const refused = yield* raw.send("GET", "/api/posts", { headers: { authorization: "Bearer x" } })
      assert.deepStrictEqual([refused.status, refused.headers.get("vary")], [401, "Authorization"])
      assert.isNull((yield* raw.send("GET", "/nowhere")).headers.get("vary"))
    })
  )

  it.effect("Public reads ignore parameters of campaigns, and other operations refuse them", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const owner = yield* publisher(3)
      for (const path of ["/api/posts?utm_source=x&page=1", "/api/categories?x=1", "/api/posts?_=1&_=2"]) {
        assert.strictEqual((yield* raw.send("GET", path)).status, 200, path)
      }
      assert.strictEqual((yield* raw.send("GET", "/api/posts?x=1&x=2")).status, 400)
      const headers = { authorization: `Bearer ${owner.key}` }
      assert.strictEqual((yield* raw.send("GET", "/api/v1/posts?utm_source=x", { headers })).status, 422)
    })
  )

  it.effect("The refusal of a credential names the Bearer scheme", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      for (const path of ["/api/v1/me", "/api/v1/posts", "/api/v1/api-keys"]) {
        const { headers, status } = yield* raw.send("GET", path)
        assert.strictEqual(status, 401)
        assert.strictEqual(headers.get("www-authenticate"), "Bearer")
      }
    })
  )
})
