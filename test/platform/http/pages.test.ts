import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, type Schema, SchemaAST } from "effect"
import { problems } from "../../../schemas/platform/errors/problems.ts"
import { html } from "../../../src/platform/pages/html.ts"
import { Readiness } from "../../../src/platform/ports/Readiness.ts"
import { readPng } from "../../../src/publishing/image-formats/png/readPng.ts"
import { completePost, publisher } from "../../support/actors/owner.ts"
import { operations } from "../../support/contract.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, LOCAL, TestClient } from "../../support/TestClient.ts"
import { Logs } from "./Logs.ts"
import { RawClient, rawClient } from "./RawClient.ts"

const get = Effect.fnUntraced(function* (path: string) {
  return yield* (yield* RawClient).send("GET", path)
})

/** Returns the directives of a Content-Security-Policy. */
const policyOf = (headers: Headers): ReadonlyMap<string, string> =>
  new Map(
    (headers.get("content-security-policy") ?? "").split("; ").map((it) => {
      const [name = "", ...values] = it.split(" ")
      return [name, values.join(" ")]
    })
  )

/** Returns the path that the type of a problem ends with; none for other answers. */
const pagesOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const encoded = SchemaAST.toEncoded(ast)
  if (SchemaAST.isUnion(encoded)) return encoded.types.flatMap(pagesOf)
  if (!SchemaAST.isObjects(encoded)) return []
  const type = encoded.propertySignatures.find(({ name }) => name === "type")?.type
  return (type?.checks ?? []).flatMap(({ annotations }) => {
    const { payload } = (annotations?.representation ?? {}) as {
      readonly payload?: { readonly endsWith?: string }
    }
    return payload?.endsWith === undefined ? [] : [payload.endsWith]
  })
}

layer(rawClient(database("test_http_pages")))("pages and documents", (it) => {
  it.effect("Every problem has a page that says what it means and what to do", () =>
    Effect.gen(function* () {
      for (const [slug, { meaning, remedy, status, title }] of Object.entries(problems)) {
        const page = yield* get(`/problems/${slug}`)
        assert.strictEqual(page.status, 200, slug)
        assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
        for (const said of [slug, title, meaning, remedy, String(status)])
          assert.include(page.text, html`${said}`.toString())
      }
    })
  )

  for (const slug of [
    "none",
    "VALIDATION",
    "__proto__",
    "constructor",
    "toString",
    "validation%00",
    "%3Cscript%3E"
  ]) {
    it.effect(`An unknown problem has no page: ${slug}`, () =>
      Effect.gen(function* () {
        const { body, headers, status } = yield* get(`/problems/${slug}`)
        assert.strictEqual(status, 404)
        assert.strictEqual(headers.get("content-type"), "application/problem+json")
        assert.strictEqual(body.type, `${BASE_URL}/problems/not-found`)
      })
    )
  }

  it.effect("The page of a problem is answered as other public pages, and not to a client that has it", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const { headers } = yield* get("/problems/validation")
      assert.strictEqual(headers.get("vary"), "Accept-Encoding")
      const etag = headers.get("etag") ?? ""
      assert.match(etag, /^W\//)
      const known = yield* raw.send("GET", "/problems/validation", { headers: { "if-none-match": etag } })
      assert.strictEqual(known.status, 304)
    })
  )

  it.effect("Every type of problem that an operation declares has a page", () =>
    Effect.gen(function* () {
      const pages = new Set<string>()
      for (const { family, responses } of operations) {
        if (family === "json") continue
        for (const schema of [...responses.values()].flat() as ReadonlyArray<Schema.Top>) {
          for (const page of pagesOf(schema.ast)) pages.add(page)
        }
      }
      assert.isAbove(pages.size, 10)
      for (const page of pages) assert.strictEqual((yield* get(page)).status, 200, page)
    })
  )

  it.effect("Every HTML answer has a strict Content-Security-Policy", () =>
    Effect.gen(function* () {
      for (const path of ["/docs", "/problems/validation"]) {
        const { headers } = yield* get(path)
        assert.match(headers.get("content-type") ?? "", /^text\/html/)
        const policy = policyOf(headers)
        assert.strictEqual(policy.get("default-src"), "'none'", path)
        assert.strictEqual(policy.get("base-uri"), "'none'")
        assert.include(["'none'", "'self'"], policy.get("form-action"))
        assert.strictEqual(policy.get("frame-ancestors"), "'none'")
        const loaded = [...policy].filter(([directive]) => directive !== "img-src").map(String)
        assert.notMatch(loaded.join(" "), /https?:|\*|'unsafe-eval'/)
      }
    })
  )

  it.effect("Browsers and phones get a PNG under the names that they ask for on their own", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      for (const name of ["/favicon.ico", "/apple-touch-icon.png"]) {
        const icon = yield* client.send("GET", name)
        assert.strictEqual(icon.status, 200)
        assert.strictEqual(icon.headers.get("content-type"), "image/png")
        assert.strictEqual(
          icon.headers.get("cache-control"),
          "public, max-age=86400, stale-while-revalidate=86400, stale-if-error=86400"
        )
        assert.deepInclude(Result.getOrThrow(readPng(icon.bytes ?? new Uint8Array())), {
          width: 180,
          height: 180
        })
        assert.isBelow(icon.bytes?.byteLength ?? 0, 6_000)
      }
      const { text } = yield* client.send("GET", "/about", { headers: { accept: "text/html" } })
      assert.include(text, '<link rel="apple-touch-icon" href="/apple-touch-icon.png" />')
    })
  )

  it.effect("The url of a Post is its page, and its text with .md", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { handle, key } = yield* publisher(1)
      const slug = "a".repeat(120)
      const post = yield* client.send("POST", "/api/v1/posts", {
        token: key,
        body: { ...completePost, slug }
      })
      yield* client.send("POST", `/api/v1/posts/${post.body.id}/publish`, {
        token: key,
        headers: { "idempotency-key": "page" }
      })
      const page = yield* get(`/@${handle}/${slug}`)
      assert.strictEqual(page.status, 200)
      assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
      const text = yield* get(`/@${handle}/${slug}.md`)
      assert.strictEqual(text.headers.get("content-type"), "text/markdown; charset=utf-8")
      for (const path of [`/@${handle}/none`, `/@none/${slug}`, `/@${handle}/%00`, "/@%00/x", "/@%ZZ/x"]) {
        const { headers, status } = yield* get(path)
        assert.deepStrictEqual([status, headers.get("content-type")], [404, "text/html; charset=utf-8"], path)
      }
    })
  )

  it.effect("The routes /health/live and /health/ready are healthy and never cached", () =>
    Effect.gen(function* () {
      const live = yield* get("/health/live")
      assert.deepStrictEqual([live.status, live.body], [200, { status: "live" }])
      const ready = yield* get("/health/ready")
      assert.deepStrictEqual([ready.status, ready.body], [200, { status: "ready" }])
      for (const { headers } of [live, ready]) assert.include(headers.get("cache-control"), "no-store")
      for (const query of ["for=reads", "for=writes", "x=1&for=reads", "for=%72eads"]) {
        const face = yield* get(`/health/ready?${query}`)
        assert.deepStrictEqual([face.status, face.body], [200, { status: "ready" }], query)
      }
      for (const query of [
        "for",
        "for=",
        "for=read",
        "for=READS",
        "for=reads&for=writes",
        "for=reads&for=reads"
      ]) {
        const { body, headers, status } = yield* get(`/health/ready?${query}`)
        assert.deepStrictEqual(
          [status, body.status, headers.get("cache-control")],
          [400, "unknown", "no-store"],
          query
        )
        assert.include(body.detail, "`reads` or `writes`", query)
      }
    })
  )

  it.effect("The route /metrics is Prometheus text, with templates of routes and never an id", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const { accessToken } = yield* publisher(2)
      const id = "01990000-0000-7000-8000-00000000beef"
      for (const path of [
        `/api/posts/${id}`,
        `/api/profile/beefeater`,
        `/${id}`,
        `/api/v1/posts/${id}?q=${id}`
      ]) {
        yield* raw.send("GET", path, { headers: { authorization: `Bearer ${accessToken}` } })
      }
      const { headers, text } = yield* raw.send("GET", "/metrics", LOCAL)
      assert.match(headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/)
      assert.include(
        text,
        'http_request_duration_seconds_count{method="GET",route="/api/posts/:postId",status="404"}'
      )
      assert.include(text, 'route="unknown",status="404"')
      assert.notInclude(text, "beef")
      for (const line of text.trimEnd().split("\n")) {
        assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? (-?[\d.e+-]+|\+Inf|NaN))$/)
      }
    })
  )
})

const isAway = Effect.succeed(["database"])
const away = Layer.succeed(
  Readiness,
  Readiness.of({ check: isAway, checkReads: isAway, isStopping: Effect.succeed(false) })
)

layer(rawClient(database("test_http_unready"), away).pipe(Layer.provideMerge(Logs.layer)))(
  "an unavailable database",
  (it) => {
    it.effect("An unavailable database makes /health/ready 503, but not /health/live", () =>
      Effect.gen(function* () {
        const ready = yield* get("/health/ready")
        assert.strictEqual(ready.status, 503)
        assert.deepStrictEqual(ready.body, { status: "unavailable", failing: ["database"] })
        assert.match(ready.headers.get("retry-after") ?? "", /^\d+$/)
        const reads = yield* get("/health/ready?for=reads")
        assert.deepStrictEqual(
          [reads.status, reads.body],
          [503, { status: "unavailable", failing: ["database"] }]
        )
        assert.strictEqual((yield* get("/health/live")).status, 200)
        // Load balancers ask every second, also while a process stops.
        const logged = (yield* Logs).filter(({ message }) => message === "request")
        assert.deepStrictEqual(
          logged.map(({ annotations: { status }, level }) => [status, level]),
          [
            [503, "Debug"],
            [503, "Debug"],
            [200, "Debug"]
          ]
        )
      })
    )
  }
)
