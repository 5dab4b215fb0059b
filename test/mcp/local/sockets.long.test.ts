import { once } from "node:events"
import { readdirSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setInterval as ticks } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import * as HttpClientLocal from "../../../layers/local/HttpClientLocal.ts"
import * as LocalFilesNode from "../../../layers/local/LocalFilesNode.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { ARCHIVE_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import { failureOf } from "../../../src/mcp/local/failures/apiFailures.ts"
import { LocalFiles } from "../../../src/mcp/local/ports/LocalFiles.ts"
import { Origin } from "../../../src/mcp/local/service/Origin.ts"
import { bounded } from "../../../src/mcp/local/service/pinned.ts"
import { Release } from "../../../src/mcp/local/service/Release.ts"
import { ServiceApi } from "../../../src/mcp/local/service/ServiceApi.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { eventually } from "../../support/eventually.ts"
import { listening } from "../../support/listening.ts"

/** Time that passes between two looks. */
const STEP_MILLIS = 250

const MIB = 1024 * 1024
const JSON_TYPE = { "content-type": "application/json" }
const NO_POST = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

/** A request as it came over a socket, and the time of the test. */
interface Arrived {
  readonly key: string | undefined
  readonly body: string
  readonly at: number
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>

/** The time of the test's clock, for those who are no part of it. */
const time = { millis: 0 }

/** A service on a socket whose answers a test writes. */
const scripted = Effect.gen(function* () {
  const arrived: Array<Arrived> = []
  const script = { answer: ((response) => void response.end()) as Answer }
  const open = new Set<object>()
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      const key = request.headers["idempotency-key"]
      arrived.push({ key: key?.toString(), body, at: time.millis })
      void script.answer(response, request)
    })
  })
  server.on("connection", (socket) => {
    open.add(socket)
    socket.on("error", () => undefined)
    socket.once("close", () => open.delete(socket))
  })
  const origin = `http://127.0.0.1:${yield* listening(server)}`
  /** Waits until the client holds no connection: none is kept for an answer that is not read. */
  const released = eventually(
    "the end of all connections",
    Effect.sync(() => open.size === 0)
  )
  return { arrived, script, origin, released }
})

/** Runs a test with the clients of the local edition, for a service on a socket. */
const withService = <A, E>(
  test: (
    service: Effect.Success<typeof scripted>,
    api: typeof ServiceApi.Service
  ) => Effect.Effect<A, E, Release | Scope.Scope>
) =>
  Effect.gen(function* () {
    time.millis = 0
    const service = yield* scripted
    const layer = Layer.mergeAll(ServiceApi.layer, Release.layer).pipe(
      Layer.provide([
        HttpClientLocal.layer,
        Layer.succeed(Origin, service.origin),
        SecureRandom.layerWebCrypto
      ])
    )
    return yield* Effect.gen(function* () {
      return yield* test(service, yield* ServiceApi)
    }).pipe(Effect.provide(layer))
  })

/** Runs an effect while the time of the test passes, this much for each hundredth of a real second. */
const passing = <A, E, R>(effect: Effect.Effect<A, E, R>, stepMillis: number) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* onRealClock(Effect.sleep(10))
      yield* TestClock.adjust(stepMillis)
      time.millis += stepMillis
    }
    return yield* Fiber.join(fiber)
  })

const codeOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: (error) => failureOf(error).code, onSuccess: () => "answered" })

/** Writes bytes as fast as they are taken, up to this many. Returns their number. */
const flooded = async (response: ServerResponse, bytes: number) => {
  const part = Buffer.alloc(64 * 1024, " ")
  let sent = 0
  const ended = once(response, "close")
  while (sent < bytes && !response.destroyed) {
    sent += part.length
    if (!response.write(part)) {
      const more = new AbortController()
      await Promise.race([once(response, "drain", { signal: more.signal }).catch(() => undefined), ended])
      more.abort()
    }
  }
  return sent
}

/** Writes a byte now and then, without an end. */
const drip = async (response: ServerResponse, byte: string, millis: number) => {
  for await (const _ of ticks(millis)) {
    if (response.destroyed) break
    response.write(byte)
  }
}

/** Fails when an effect takes this much more memory. */
const within = <A, E, R>(bytes: number, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = process.memoryUsage.rss()
    let most = before
    const watch = Effect.sync(() => (most = Math.max(most, process.memoryUsage.rss()))).pipe(
      Effect.andThen(Effect.sleep(5)),
      Effect.forever,
      onRealClock
    )
    const answer = yield* Effect.raceFirst(effect, watch)
    assert.isBelow(most - before, bytes)
    return answer
  })

const categories = (api: typeof ServiceApi.Service) => codeOf(api.client.discovery.categories())

/** A write with a key. */
const keyed = (api: typeof ServiceApi.Service) =>
  codeOf(
    api.client.posts.create({
      headers: { "idempotency-key": "a-key-of-this-call" },
      payload: { title: "Once", freeContentMarkdown: "One." }
    } as never)
  )

/** A write without a key. */
const keyless = (api: typeof ServiceApi.Service) =>
  codeOf(api.client.sessions.refresh({ payload: { refreshToken: "a" } } as never))

describe("the client of the local edition, on sockets", () => {
  it.effect("The client follows no redirect to any place, and keeps no connection for it", () =>
    withService((service, api) =>
      Effect.gen(function* () {
        const elsewhere = yield* scripted
        for (const status of [300, 301, 302, 303, 304, 307, 308]) {
          for (const location of [
            `${elsewhere.origin}/api`,
            `${service.origin}/api`,
            "/api",
            "file:///etc/passwd"
          ]) {
            service.script.answer = (response) => {
              response.writeHead(status, { location })
              // The body of a redirect never ends.
              if (status === 304) response.end()
              else response.write("moved")
            }
            assert.strictEqual(yield* categories(api), "origin-mismatch", `${status} ${location}`)
          }
        }
        assert.lengthOf(service.arrived, 28)
        assert.lengthOf(elsewhere.arrived, 0)
        yield* service.released
      })
    )
  )

  it.effect("The client reads only a bounded part of answers without an end", () =>
    withService((service, api) =>
      Effect.gen(function* () {
        const sent: Array<Promise<number>> = []
        const flood =
          (headers: Record<string, string>, status = 200): Answer =>
          (response) => {
            response.writeHead(status, headers)
            sent.push(flooded(response, 5 * 1024 * MIB))
          }
        const upload = codeOf(
          api.uploads.execute(HttpClientRequest.post(`${service.origin}/api/v1/profile/avatar`))
        )
        const refused = codeOf(Effect.scoped(api.downloads.get(`${service.origin}/api/posts/a`)))
        const release = yield* Release
        for (const [headers, status, calls] of [
          [JSON_TYPE, 200, [categories(api), keyed(api), upload]],
          [{ ...JSON_TYPE, "content-length": String(5 * 1024 * MIB) }, 200, [categories(api), upload]],
          [JSON_TYPE, 404, [categories(api), refused]]
        ] as const) {
          service.script.answer = flood(headers, status)
          for (const call of calls) {
            assert.strictEqual(yield* within(64 * MIB, call), "response-invalid")
          }
        }
        service.script.answer = flood(JSON_TYPE)
        assert.strictEqual((yield* within(32 * MIB, release.status)).status, "unavailable")
        // Nothing is read on behind the bound, but what the sockets hold.
        for (const bytes of yield* Effect.promise(() => Promise.all(sent))) assert.isBelow(bytes, 24 * MIB)
        assert.lengthOf(service.arrived, sent.length)
        yield* service.released
      })
    )
  )

  it.effect("The client saves at most the bytes of a ZIP, and nothing of a download that is cut off", () =>
    withService((service, api) =>
      Effect.gen(function* () {
        const downloads = yield* temporaryDirectory
        const files = yield* Effect.provide(LocalFiles, LocalFilesNode.layer({ roots: [], downloads }))
        const request = HttpClientRequest.get(`${service.origin}/api/posts/a/attachments/b`)
        const save = codeOf(
          Effect.gen(function* () {
            const response = yield* api.downloads.execute(request)
            const expected = { sha256: "0".repeat(64), bytesMax: ARCHIVE_BYTES_MAX }
            return yield* files.save("a.zip", bounded(request)(response.stream), expected)
          }).pipe(Effect.scoped)
        )
        const sent: Array<Promise<number>> = []
        service.script.answer = (response) => {
          response.writeHead(200)
          sent.push(flooded(response, 5 * 1024 * MIB))
        }
        assert.strictEqual(yield* within(96 * MIB, save), "response-invalid")
        for (const bytes of yield* Effect.promise(() => Promise.all(sent))) assert.isBelow(bytes, 48 * MIB)
        service.script.answer = (response) => {
          response.writeHead(200, { "content-length": "1000" })
          response.write("PK", () => response.destroy())
        }
        assert.notStrictEqual(yield* save, "answered")
        // One byte, and silence: the transfer ends after 30 seconds.
        service.script.answer = (response) => {
          response.writeHead(200)
          response.write("P")
        }
        time.millis = 0
        assert.strictEqual(yield* passing(save, 1_000), "service-unavailable")
        assert.isAtLeast(time.millis, 30_000)
        assert.isBelow(time.millis, 45_000)
        // A byte now and then, for ever: it ends after two minutes.
        service.script.answer = (response) => {
          response.writeHead(200)
          return drip(response, "P", 20)
        }
        time.millis = 0
        assert.strictEqual(yield* passing(save, 1_000), "service-unavailable")
        assert.isAtLeast(time.millis, 120_000)
        assert.isBelow(time.millis, 140_000)
        assert.deepStrictEqual(readdirSync(downloads), [])
        yield* service.released
      })
    )
  )

  it.effect("The client waits at most as long as a call may take, for headers and for bytes", () =>
    withService((service, api) =>
      Effect.gen(function* () {
        const spent = Effect.fnUntraced(function* (answer: Answer, call: Effect.Effect<string>) {
          service.script.answer = answer
          service.arrived.length = 0
          time.millis = 0
          assert.strictEqual(yield* passing(call, 500), "service-unavailable")
          yield* service.released
          return [service.arrived.length, Math.round(time.millis / 15_000) * 15] as const
        })
        const silent: Answer = () => undefined
        const slow: Answer = (response) => {
          response.writeHead(200, JSON_TYPE)
          return drip(response, " ", 10)
        }
        // Once for a write without a key: 15 seconds until the headers, 30 for the whole.
        assert.deepStrictEqual(yield* spent(silent, keyless(api)), [1, 15])
        assert.deepStrictEqual(yield* spent(slow, keyless(api)), [1, 30])
        // All attempts together take 45 seconds.
        assert.deepStrictEqual(yield* spent(silent, categories(api)), [3, 45])
        assert.deepStrictEqual(yield* spent(slow, categories(api)), [2, 45])
        assert.deepStrictEqual(yield* spent(slow, keyed(api)), [2, 45])
      })
    )
  )

  it.effect("The client takes only answers of the contract", () =>
    withService((service, api) =>
      Effect.gen(function* () {
        for (const body of [
          "",
          "{",
          "null",
          "[]",
          '{"data":[{"id":"1"}]}',
          `{"data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
          '{"data":[]}{"data":[]}',
          Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
          "<!doctype html><title>A login of a hotel</title>"
        ]) {
          service.script.answer = (response) => {
            response.writeHead(200, JSON_TYPE)
            response.end(body)
          }
          assert.strictEqual(yield* categories(api), "response-invalid", String(body).slice(0, 40))
        }
        service.script.answer = (response) => {
          response.writeHead(200, { "content-type": "text/html" })
          response.end("<p>")
        }
        assert.strictEqual(yield* categories(api), "response-invalid")
        // Proxies answer with pages of their own.
        for (const [status, code] of [
          [204, "response-invalid"],
          [206, "response-invalid"],
          [418, "response-invalid"],
          [404, "response-invalid"],
          [403, "response-invalid"],
          [429, "rate-limited"],
          [500, "internal"],
          [502, "service-unavailable"],
          [504, "service-unavailable"]
        ] as const) {
          for (const body of ["", "{}", "<h1>Bad Gateway</h1>"]) {
            service.script.answer = (response) => void response.writeHead(status, JSON_TYPE).end(body)
            assert.strictEqual(yield* categories(api), code, `${status} ${body}`)
          }
        }
        yield* service.released
      })
    )
  )

  it.effect("The client sends the same key and bytes again, after the time that an answer names", () =>
    withService((service, api) =>
      Effect.gen(function* () {
        const after = Effect.fnUntraced(function* (
          troubles: ReadonlyArray<Answer>,
          call: Effect.Effect<string>
        ) {
          service.arrived.length = 0
          time.millis = 0
          service.script.answer = (response, request) => {
            const trouble = troubles[service.arrived.length - 1]
            if (trouble !== undefined) return trouble(response, request)
            response.writeHead(200, JSON_TYPE)
            response.end('{"data":[]}')
          }
          const code = yield* passing(call, STEP_MILLIS)
          const [first] = service.arrived
          for (const { body, key } of service.arrived) {
            assert.deepStrictEqual([key, body], [first?.key, first?.body])
          }
          const waits = service.arrived
            .slice(1)
            .map(({ at }, index) => at - (service.arrived[index]?.at ?? 0))
          return { code, waits }
        })
        const refusal =
          (status: number, headers: Record<string, string> = {}): Answer =>
          (response) =>
            void response.writeHead(status, headers).end()
        const lost: Answer = (response) => void response.destroy()
        const cut: Answer = (response) => {
          response.writeHead(200, { ...JSON_TYPE, "content-length": "100" })
          response.write("{", () => response.destroy())
        }
        const busy = (seconds: string) => refusal(429, { "retry-after": seconds })
        const down = (seconds: string) => refusal(503, { "retry-after": seconds })

        for (const [troubles, code, waits] of [
          [[lost, lost], "answered", [500, 1_000]],
          [[cut, cut], "answered", [500, 1_000]],
          [[refusal(503), lost], "answered", [500, 1_000]],
          [[down("7"), busy("3")], "answered", [7_000, 3_000]],
          [[busy("20")], "answered", [20_000]],
          [[busy("0"), busy("0")], "answered", [500, 1_000]],
          [[busy("21")], "rate-limited", []],
          [[down("3600")], "service-unavailable", []],
          [[refusal(429)], "rate-limited", []],
          [[lost, cut, lost], "service-unavailable", [500, 1_000]],
          [[busy("20"), busy("20"), busy("1")], "rate-limited", [20_000, 20_000]],
          [[refusal(500)], "internal", []],
          [[refusal(502)], "service-unavailable", []]
        ] as const) {
          const read = yield* after(troubles, categories(api))
          assert.strictEqual(read.code, code)
          assert.lengthOf(read.waits, waits.length, String(waits))
          for (const [index, wait] of waits.entries()) {
            assert.isAtLeast(read.waits[index] ?? 0, wait - STEP_MILLIS)
            assert.isBelow(read.waits[index] ?? 0, wait * 1.5 + 3_000)
          }
        }
        // A write with a key is sent as often as a read; its answer is not one of the contract here.
        const write = yield* after([lost, cut], keyed(api))
        assert.deepStrictEqual([write.code, write.waits.length], ["response-invalid", 2])
        assert.strictEqual(service.arrived[0]?.key, "a-key-of-this-call")
        assert.include(service.arrived[0]?.body, "Once")
        // One without is never sent again.
        for (const trouble of [lost, cut, refusal(503), busy("1")]) {
          assert.deepStrictEqual((yield* after([trouble], keyless(api))).waits, [])
        }
        // A download is asked for again until its bytes begin.
        const download = codeOf(Effect.scoped(api.downloads.get(`${service.origin}/api/posts/${NO_POST}`)))
        assert.deepInclude(yield* after([lost, down("2")], download), { code: "answered" })
        assert.lengthOf(service.arrived, 3)
        // An upload is sent once: its repeat asks first.
        const form = HttpClientRequest.post(`${service.origin}/api/v1/profile/avatar`).pipe(
          HttpClientRequest.setHeader("idempotency-key", "an-upload")
        )
        for (const trouble of [lost, refusal(503)]) {
          assert.deepStrictEqual((yield* after([trouble], codeOf(api.uploads.execute(form)))).waits, [])
        }
        yield* service.released
      })
    )
  )
})
