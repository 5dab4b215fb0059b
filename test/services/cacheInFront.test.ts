import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { freePort } from "../../layers/postgres/embedded/server.ts"
import { runDemo } from "../../src/bin/demoFlow.ts"
import { walletOf } from "../support/actors/owner.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { eventually } from "../support/eventually.ts"
import { started } from "../wire/server.ts"
import { get } from "../wire/sockets.ts"
import { takingAway } from "../wire/takingAway.ts"

/** The configuration that operators read. */
const [, DOCUMENTED = ""] =
  /^```nginx\n([\s\S]*?)^```$/m.exec(readFileSync("layers/ONE-MACHINE.md", "utf8")) ?? []

const replaced = (text: string, from: string, to: string) => {
  assert.include(text, from)
  return text.replace(from, to)
}

/** nginx with the documented configuration, but for its addresses and its directory, in front of this port. */
const nginx = Effect.fnUntraced(function* (service: number) {
  const directory = yield* temporaryDirectory
  mkdirSync(directory, { recursive: true })
  const quoted = (name: string) => JSON.stringify(join(directory, name))
  const port = yield* freePort
  const site = [
    ["/var/cache/nginx/pennypress", quoted("cache")],
    ["listen 80;", `listen 127.0.0.1:${port};`],
    ["http://127.0.0.1:4020", `http://127.0.0.1:${service}`]
  ].reduce((text, [from = "", to = ""]) => replaced(text, from, to), DOCUMENTED)
  const file = join(directory, "nginx.conf")
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${quoted(name)};`)
    .join("\n")
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${quoted("pid")}; events {}\n` +
      `http { access_log off; ${folders}\n${site} }`
  )
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("nginx", ["-e", join(directory, "errors"), "-c", file], {
        stdio: ["ignore", "ignore", "inherit"]
      })
    ),
    (child) => Effect.promise(() => (child.kill("SIGKILL"), once(child, "close")))
  )
  const origin = `http://127.0.0.1:${port}`
  yield* eventually(
    "an answer through nginx",
    get(`${origin}/health/live`).pipe(
      Effect.map(({ status }) => status === 200),
      Effect.catchCause(() => Effect.succeed(false))
    )
  )
  return origin
})

const world = Layer.mergeAll(NodeHttpClient.layerUndici, SecureRandom.layerWebCrypto)

/** The `max-age` of the answers below: after it, a cache has to ask. */
const FRESH = "15 seconds"

it.live("A cache in front goes on with pages, lists and documents while the service fails", () =>
  Effect.gen(function* () {
    const { databaseUrl, origin, port, stop } = yield* started("test_cache_in_front", {}, { SCANNER: "none" })
    const demo = yield* runDemo({ baseUrl: origin, markdown: "A text.", print: () => Effect.void })
    const page = new URL(demo.url).pathname
    const front = yield* nginx(port)
    const html = { headers: { accept: "text/html" } }
    const { data } = JSON.parse((yield* get(`${origin}/api/posts`)).text)
    const paths = [
      "/",
      page,
      `${page}.md`,
      "/api/posts",
      `/api/posts/${data[0].id}`,
      "/api/categories",
      "/.well-known/x402/posts"
    ]
    const answers = (at: string) => Effect.forEach(paths, (path) => get(`${at}${path}`, html))
    const statuses = (at: string) => Effect.map(answers(at), (all) => all.map(({ status }) => status))
    const good = paths.map(() => 200)

    const before = yield* answers(front)
    assert.deepStrictEqual(
      before.map(({ status }) => status),
      good
    )
    assert.strictEqual((yield* get(`${front}/metrics`)).status, 404)
    const assertGoesOn = Effect.gen(function* () {
      for (const [n, { status, text }] of (yield* answers(front)).entries())
        assert.deepStrictEqual([status, text], [200, before[n]?.text], paths[n])
    })

    yield* takingAway(
      databaseUrl,
      Effect.gen(function* () {
        yield* eventually(
          "the service fails",
          Effect.map(statuses(origin), (all) => all.every((status) => status === 503))
        )
        yield* Effect.sleep(FRESH)
        yield* assertGoesOn
        const signIn = yield* get(`${front}/api/v1/auth/nano/challenge`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ account: walletOf(1).account })
        })
        for (const refused of [signIn, yield* get(`${front}/newest`)]) {
          assert.strictEqual(refused.status, 503, refused.text)
          assert.isNotNull(refused.headers.get("retry-after"))
        }
        // A request with a credential gets no answer of the cache.
        const bearer = { headers: { authorization: `Bearer pp_${"x".repeat(40)}` } }
        assert.include([401, 503], (yield* get(`${front}/api/posts`, bearer)).status)
      })
    )

    // With the database, nginx asks again and has what is new.
    yield* eventually(
      "the service answers",
      Effect.map(statuses(origin), (all) => all.every((status) => status === 200))
    )
    const second = yield* runDemo({ baseUrl: origin, markdown: "Another text.", print: () => Effect.void })
    const isShown = Effect.map(get(`${front}/`, html), ({ text }) =>
      text.includes(new URL(second.url).pathname)
    )
    yield* eventually("the new post", isShown)

    assert.deepStrictEqual(yield* statuses(front), good)
    const last = yield* answers(front)
    yield* stop
    yield* Effect.sleep(FRESH)
    for (const [n, { status, text }] of (yield* answers(front)).entries())
      assert.deepStrictEqual([status, text], [200, last[n]?.text], paths[n])
  }).pipe(Effect.provide(world))
)

it.live("A cache in front asks for no more of a file than its client", () =>
  Effect.gen(function* () {
    const port = yield* freePort
    const ranges: Array<string | undefined> = []
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((request, response) => {
          if (request.url === "/file") ranges.push(request.headers.range)
          response.end()
        })
        server.listen(port, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) => Effect.sync(() => server.close())
    )
    const front = yield* nginx(port)
    yield* get(`${front}/file`, { headers: { range: "bytes=10-19" } })
    yield* get(`${front}/file`)
    assert.deepStrictEqual(ranges, ["bytes=10-19", undefined])
  }).pipe(Effect.provide(world))
)
