import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operations } from "../../support/contract.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, LOCAL } from "../../support/TestClient.ts"
import { RawClient, rawClient } from "./RawClient.ts"

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"]

/** Returns true when a path with parameters takes in another without: `/purchases/:purchaseId` and `/purchases/claims`. */
const matches = (template: string, path: string) =>
  !path.includes(":") && new RegExp(`^${template.replaceAll(/:\w+/g, "[^/]+")}$`).test(path)

/** Paths of the contract, each with the methods and the family of its operations. */
const paths = [...new Set(operations.map((it) => it.path))].map((path) => {
  const its = operations.filter((it) => it.path === path || matches(it.path, path))
  return { path, methods: [...new Set(its.map((it) => it.method))], family: its[0]?.family }
})

layer(rawClient(database("test_http_methods")))("paths and methods", (it) => {
  for (const path of [
    "/nowhere",
    "/api",
    "/api/v1",
    "/api/v1/posts/a/b/c",
    "/problems",
    "/%ZZ",
    "/%00",
    "/@nobody/nothing/more"
  ]) {
    it.effect(`An unknown path is the problem not-found: ${path}`, () =>
      Effect.gen(function* () {
        const raw = yield* RawClient
        for (const method of METHODS) {
          const { body, headers, status } = yield* raw.send(method, path)
          assert.strictEqual(status, 404)
          assert.strictEqual(headers.get("content-type"), "application/problem+json")
          assert.strictEqual(body.type, `${BASE_URL}/problems/not-found`)
          assert.strictEqual(body.status, 404)
        }
      })
    )
  }

  for (const { family, methods, path } of paths) {
    it.effect(`Other methods of ${path} are 405 with Allow, in its family`, () =>
      Effect.gen(function* () {
        const raw = yield* RawClient
        const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted()
        for (const method of METHODS.filter((it) => !methods.includes(it))) {
          const { body, headers, status } = yield* raw.send(method, path.replaceAll(/:\w+/g, "x"))
          assert.strictEqual(status, 405, method)
          assert.deepStrictEqual((headers.get("allow") ?? "").split(", ").toSorted(), allowed)
          if (family === "problem") {
            assert.strictEqual(headers.get("content-type"), "application/problem+json")
            assert.strictEqual(body.type, `${BASE_URL}/problems/method-not-allowed`)
          } else {
            assert.strictEqual(headers.get("content-type"), "application/json")
            assert.strictEqual(body.statusCode, 405)
            assert.strictEqual(body.data.code, "method_not_allowed")
          }
        }
      })
    )
  }

  it.effect("HEAD works wherever GET does, with its status and headers and without its body", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const reads = operations
        .filter((it) => it.method === "GET")
        .map((it) => it.path.replaceAll(/:\w+/g, "x"))
      const pages = [
        "/",
        "/docs",
        "/openapi.json",
        "/metrics",
        "/health/live",
        "/health/ready",
        "/problems/forbidden"
      ]
      for (const path of [...reads, ...pages, "/@nobody/nothing"]) {
        const get = yield* raw.send("GET", path, LOCAL)
        const head = yield* raw.send("HEAD", path, LOCAL)
        assert.strictEqual(head.status, get.status, path)
        assert.strictEqual(head.text, "")
        for (const name of ["content-type", "cache-control", "etag", "vary", "content-security-policy"]) {
          assert.strictEqual(head.headers.get(name), get.headers.get(name), `${name} of ${path}`)
        }
      }
      const write = yield* raw.send("HEAD", "/api/v1/auth/refresh")
      assert.strictEqual(write.status, 405)
    })
  )

  for (const path of [
    "/api/categories/",
    "//api/categories",
    "/api//categories",
    "/API/categories",
    "/api/categories;x=1",
    "/api/c%61tegories",
    "/METRICS",
    "/metrics/",
    "/metrics;x",
    "/%6Detrics",
    "/m%65trics?a=b",
    "/rpc/",
    "/%72pc"
  ]) {
    it.effect(`A path in another spelling is not found: ${path}`, () =>
      Effect.gen(function* () {
        const raw = yield* RawClient
        for (const method of ["GET", "POST"]) {
          const { body, status } = yield* raw.send(method, path)
          assert.strictEqual(status, 404, method)
          assert.strictEqual(body.type, `${BASE_URL}/problems/not-found`)
        }
      })
    )
  }

  for (const [path, page] of [
    ["/%40ada", "/@ada"],
    ["/%40ada/first-post?utm_source=x", "/@ada/first-post?utm_source=x"],
    ["/@ada/first-post/comments//?page=2", "/@ada/first-post/comments?page=2"],
    ["/%40ada/atom.xml", "/@ada/atom.xml"],
    ["/@ada/first-post.md/", "/@ada/first-post.md"],
    ["/c/travel/", "/c/travel"],
    ["/search/?q=a%20b", "/search?q=a%20b"],
    ["/sign-in/", "/sign-in"]
  ] as const) {
    it.effect(`A reader of ${path} is sent to the page itself`, () =>
      Effect.gen(function* () {
        const raw = yield* RawClient
        for (const method of ["GET", "HEAD"]) {
          const { headers, status } = yield* raw.send(method, path)
          assert.deepStrictEqual([status, headers.get("location")], [308, page], method)
        }
        assert.strictEqual((yield* raw.send("POST", path)).status, 404)
      })
    )
  }

  for (const path of [
    "//evil.example/",
    "/%40ada//evil.example/",
    "/@ada;x/",
    "/%40ada/%2e%2e;/",
    "/openapi.json/",
    "/rpc/"
  ]) {
    it.effect(`A path that no page has leads nowhere else: ${path}`, () =>
      Effect.gen(function* () {
        const { headers, status } = yield* (yield* RawClient).send("GET", path)
        assert.deepStrictEqual([status, headers.get("location")], [404, null])
      })
    )
  }

  it.effect("A parameter may be escaped, and the case of its letters counts", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      for (const path of ["/problems/v%61lidation", "/problems/validation?utm_source=x;y%20z"]) {
        assert.strictEqual((yield* raw.send("GET", path)).status, 200, path)
      }
      assert.strictEqual((yield* raw.send("GET", "/problems/Validation")).status, 404)
    })
  )

  it.effect("A parameter that is empty or has a semicolon is not found, in the family of its path", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      for (const [method, path, family] of [
        ["GET", "/api/posts/a;b", "json"],
        ["GET", "/api/posts/a;b/comments?limit=1", "json"],
        ["GET", "/api/posts/", "json"],
        ["GET", "/api/posts//comments", "json"],
        ["GET", "/api/profile/;", "json"],
        ["PUT", "/api/v1/posts//reactions", "json"],
        ["DELETE", "/api/v1/comments/;a", "json"],
        ["GET", "/api/v1/posts/a;b", "problem"],
        ["POST", "/api/v1/posts//publish", "problem"]
      ] as const) {
        const { body, status } = yield* raw.send(method, path)
        assert.strictEqual(status, 404, path)
        if (family === "json") assert.strictEqual(body.data?.code, "not_found", path)
        else assert.strictEqual(body.type, `${BASE_URL}/problems/not-found`, path)
      }
    })
  )

  it.effect("A parameter that is too long is not found, in the family of its path", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      for (const length of [150, 201, 5_000]) {
        const { body, status } = yield* raw.send("GET", `/api/profile/${"a".repeat(length)}`)
        assert.strictEqual(status, 404)
        assert.strictEqual(body.data.code, "not_found")
      }
    })
  )
})
