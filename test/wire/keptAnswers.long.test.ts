import { request as send } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { runDemo } from "../../src/bin/demoFlow.ts"
import { eventually } from "../support/eventually.ts"
import { started } from "./server.ts"

interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: Buffer
}

/** Sends a request as it is: no header is added, and no coding is undone. */
const ask = (
  origin: string,
  path: string,
  {
    headers = {},
    method = "GET"
  }: { readonly method?: string; readonly headers?: Record<string, string> } = {}
) =>
  Effect.callback<Received>((resume) => {
    const request = send(`${origin}${path}`, { method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resume(
          Effect.succeed({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes: Buffer.concat(chunks)
          })
        )
      )
    })
    request.on("error", (error) => resume(Effect.die(error)))
    request.end()
  })

/** Headers that differ between two answers to one request. */
const OWN = new Set(["date", "x-request-id", "ratelimit"])

const comparable = ({ bytes, headers, status }: Received) => ({
  status,
  text: bytes.toString(),
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.has(name)))
})

const liveCount = Effect.fnUntraced(function* (origin: string) {
  const { bytes } = yield* ask(origin, "/metrics")
  const count = /^http_request_duration_seconds_count\{method="GET",route="\/health\/live".*\} (\d+)$/m
  return Number(count.exec(bytes.toString())?.[1] ?? 0)
})

const unroutedOf = Effect.fnUntraced(function* (origin: string) {
  const { bytes } = yield* ask(origin, "/metrics")
  return Number(/^public_answers_total\{outcome="unrouted"\} (\d+)$/m.exec(bytes.toString())?.[1] ?? 0)
})

/** Answers until the answer is kept: the service listens to other processes soon after its start. */
const kept = Effect.fnUntraced(function* (origin: string, path: string) {
  const before = yield* unroutedOf(origin)
  let answer = yield* ask(origin, path)
  while ((yield* unroutedOf(origin)) === before) answer = yield* ask(origin, path)
  return answer
})

const withPost = Effect.fnUntraced(function* (
  name: string,
  environment: Readonly<Record<string, string>> = {}
) {
  const { origin } = yield* started(name, {}, { LOG_LEVEL: "info", SCANNER: "none", ...environment })
  const { url: page } = yield* runDemo({
    baseUrl: origin,
    markdown: "A text. ".repeat(200),
    print: () => Effect.void
  })
  const posts = Effect.map(ask(origin, "/api/posts"), ({ bytes }) => JSON.parse(bytes.toString()).data)
  // The counters of what the demo did change the answers once more.
  yield* eventually(
    "the Posts have their Comment, reaction, buyer and tip",
    Effect.map(posts, (all: ReadonlyArray<any>) =>
      ["comments", "reactions", "purchases", "tips"].every((count) =>
        all.some(({ counts }) => counts[count] === 1)
      )
    )
  )
  const [post] = yield* posts
  return { origin, post, page }
})

const world = Layer.mergeAll(NodeHttpClient.layerUndici, SecureRandom.layerWebCrypto)

describe("kept answers, before routing", () => {
  it.live("Kept answers are the same as routed ones, down to the headers", () =>
    Effect.gen(function* () {
      const { origin, post } = yield* withPost("test_wire_kept")
      for (const path of [
        "/api/posts",
        "/api/posts?per_page=1&sort=newest",
        "/api/posts?cursor=",
        `/api/posts/${post.id}`,
        `/api/posts/${post.id}/public-content`,
        `/api/posts/${post.id}/reactions`,
        `/api/profile/${post.author.handle}`,
        `/api/profile/${post.author.handle}/summary`,
        `/api/profile/${post.author.handle}/posts`,
        "/api/categories",
        "/api/browse/categories"
      ]) {
        const again = yield* kept(origin, path)
        // The spelling was never sent before, so that this request is routed.
        const routed = yield* ask(origin, `${path}${path.includes("?") ? "&" : "?"}utm_source=${path.length}`)
        assert.deepStrictEqual(comparable(again), comparable(routed), path)
        assert.notStrictEqual(again.headers["x-request-id"], routed.headers["x-request-id"])

        const head = yield* ask(origin, path, { method: "HEAD" })
        assert.deepStrictEqual(comparable(head), { ...comparable(again), text: "" }, path)
        const etag = String(again.headers["etag"])
        const known = yield* ask(origin, path, { headers: { "if-none-match": etag } })
        assert.deepStrictEqual([known.status, known.bytes.byteLength, known.headers["etag"]], [304, 0, etag])
        assert.isUndefined(known.headers["content-length"])
        const named = yield* ask(origin, path, { headers: { "x-request-id": "mine" } })
        assert.strictEqual(named.headers["x-request-id"], "mine")
        const misnamed = yield* ask(origin, path, { headers: { "x-request-id": "not mine" } })
        assert.notStrictEqual(misnamed.headers["x-request-id"], "not mine")
      }
    }).pipe(Effect.provide(world))
  )

  it.live("Kept answers are compressed for clients that accept it, each coding under its own ETag", () =>
    Effect.gen(function* () {
      const { origin, post } = yield* withPost("test_wire_coded")
      const path = `/api/posts/${post.id}`
      const plain = yield* kept(origin, path)
      const decoders = { br: brotliDecompressSync, gzip: gunzipSync }
      for (const coding of ["br", "gzip"] as const) {
        for (let n = 0; n < 2; n++) {
          const coded = yield* ask(origin, path, { headers: { "accept-encoding": coding } })
          assert.strictEqual(coded.headers["content-encoding"], coding)
          assert.strictEqual(coded.headers["vary"], "Authorization, Accept-Encoding")
          assert.strictEqual(coded.headers["content-length"], String(coded.bytes.byteLength))
          assert.isBelow(coded.bytes.byteLength, plain.bytes.byteLength / 2)
          assert.deepStrictEqual(decoders[coding](coded.bytes), plain.bytes)
          const etag = String(coded.headers["etag"])
          assert.notStrictEqual(etag, plain.headers["etag"])
          const headers = { "accept-encoding": coding, "if-none-match": etag }
          assert.strictEqual((yield* ask(origin, path, { headers })).status, 304)
          assert.strictEqual((yield* ask(origin, path, { headers: { "if-none-match": etag } })).status, 200)
        }
      }
      const small = yield* ask(origin, "/api/posts/none", { headers: { "accept-encoding": "br" } })
      assert.isUndefined(small.headers["content-encoding"])
    }).pipe(Effect.provide(world))
  )

  it.live("Kept answers of liveness have the same as the routed answer", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_wire_live", {}, { LOG_LEVEL: "info" })
      const before = yield* liveCount(origin)
      // A request with a credential is routed.
      const credential = { authorization: "Bearer x" }
      for (const method of ["GET", "HEAD"]) {
        const live = yield* ask(origin, "/health/live", { method })
        const routed = yield* ask(origin, "/health/live", { method, headers: credential })
        assert.strictEqual(live.status, 200)
        assert.deepStrictEqual(comparable(live), comparable(routed), method)
        assert.notStrictEqual(live.headers["x-request-id"], routed.headers["x-request-id"])
      }
      const named = yield* ask(origin, "/health/live", { headers: { "x-request-id": "mine" } })
      assert.strictEqual(named.headers["x-request-id"], "mine")
      assert.strictEqual(yield* liveCount(origin), before + 3)
      assert.strictEqual((yield* ask(origin, "/health/live", { method: "POST" })).status, 405)
    })
  )

  it.live("Requests with a credential or another method get no kept answer", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_wire_credential", {}, { LOG_LEVEL: "info" })
      yield* kept(origin, "/api/categories")
      const refused = yield* ask(origin, "/api/categories", { headers: { authorization: "Bearer x" } })
      assert.strictEqual(refused.status, 401)
      assert.strictEqual((yield* ask(origin, "/api/categories", { method: "POST" })).status, 405)
      assert.strictEqual((yield* ask(origin, "/api/categories", { method: "OPTIONS" })).status, 204)
    })
  )

  it.live("Kept answers count against the limit of public reads, and are refused beyond it", () =>
    Effect.gen(function* () {
      // The limit of 1,200 becomes one of 12.
      const { origin } = yield* started(
        "test_wire_kept_limit",
        {},
        { LOG_LEVEL: "info", RATE_LIMIT_FACTOR: "0.01" }
      )
      const answers = yield* Effect.replicateEffect(ask(origin, "/api/categories"), 13)
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [...Array.from({ length: 12 }, () => 200), 429]
      )
      assert.deepStrictEqual(
        answers.map(({ headers }) => /;r=(\d+)/.exec(String(headers["ratelimit"]))?.[1]),
        [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0].map(String)
      )
      const last = answers.at(-1)!
      assert.match(String(last.headers["retry-after"]), /^\d+$/)
      assert.strictEqual(JSON.parse(last.bytes.toString()).data.code, "rate_limited")
    })
  )

  it.live("Kept answers of reactions count against their own limit", () =>
    Effect.gen(function* () {
      // The limit of 40 becomes one of 16, so that some answers are kept in any case.
      const { origin, post } = yield* withPost("test_wire_kept_reactions", { RATE_LIMIT_FACTOR: "0.4" })
      const before = yield* unroutedOf(origin)
      const answers = yield* Effect.replicateEffect(ask(origin, `/api/posts/${post.id}/reactions`), 17)
      assert.isAbove(yield* unroutedOf(origin), before)
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [...Array.from({ length: 16 }, () => 200), 429]
      )
      for (const { headers } of answers) assert.match(String(headers["ratelimit"]), /^"reaction-read";/)
      assert.strictEqual(JSON.parse(answers.at(-1)!.bytes.toString()).data.code, "rate_limited")
      assert.isNumber(JSON.parse(answers.at(-1)!.bytes.toString()).data.retryAfter)
    }).pipe(Effect.provide(world))
  )

  it.live("Kept answers are logged at the level of successful reads", () =>
    Effect.gen(function* () {
      const { logs, origin } = yield* started("test_wire_kept_log", {}, { LOG_LEVEL: "debug" })
      for (let n = 0; n < 5; n++) yield* ask(origin, "/api/categories")
      const lines = logs.filter(({ message }) => message === "request")
      assert.strictEqual(lines.length, 5)
    })
  )
})
