import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { multipart } from "../publishing/uploads/multipart.ts"
import { uploaderOf } from "../support/actors/uploader.ts"
import { eventually } from "../support/eventually.ts"
import { TestClient } from "../support/TestClient.ts"
import { started } from "../wire/server.ts"
import { connection, get } from "../wire/sockets.ts"
import { pngOfSize, sampleImage, SCREENING, uploadsDatabase, clientOver } from "./uploadClient.ts"
import { servedTo } from "./uploadService.ts"

const MEBIBYTE = 1024 * 1024
const clamd = process.env["SERVICES_CLAMD_UNIX"] ?? "unix:/missing"

/** The server in this process, with one author who has a Post. */
const serving = Effect.fnUntraced(function* (name: string, patience: Parameters<typeof started>[1] = {}) {
  const DATABASE_URL = Redacted.value(yield* uploadsDatabase(name))
  const server = yield* started(name, patience, { ...SCREENING, CLAMD_URL: clamd, DATABASE_URL })
  const owner = yield* uploaderOf(1).pipe(Effect.provideService(TestClient, clientOver(server.origin)))
  const post = yield* owner.draft()
  const form = multipart([
    {
      name: "file",
      fileName: "picture",
      mediaType: "image/png",
      content: pngOfSize(3 * MEBIBYTE, 1)
    }
  ])
  /** The beginning of an upload under this key, as it is on the wire. */
  const head = (key: string, headers: Readonly<Record<string, string>> = {}) => {
    const all = {
      Host: "x",
      Authorization: `Bearer ${owner.key}`,
      "Idempotency-Key": key,
      "X-Post-Revision": post.updatedAt,
      "X-Upload-Target-Key": key,
      "Content-Type": form.headers["content-type"],
      ...headers
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    return `POST /api/v1/posts/${post.id}/images HTTP/1.1\r\n${lines.join("")}\r\n`
  }
  const length = { "Content-Length": form.headers["content-length"] }
  const recovered = Effect.fnUntraced(function* (key: string) {
    const query = `?requestKey=${key}&targetKind=inline&targetId=${post.id}&targetKey=${key}`
    return (yield* owner.operations(query)).body.operations[0]
  })
  /** Sends the same file with the same key after a body broke off. */
  const canBeSentAgain = Effect.fnUntraced(function* (key: string) {
    yield* eventually(
      "it may be sent again",
      Effect.map(recovered(key), (it) => it?.safety.reuploadAllowed === true && !it.safety.received)
    )
    const image = yield* sampleImage(1)
    const part = { name: "file", fileName: "picture", mediaType: image.mediaType, content: image.bytes }
    const send = owner.inline(post, { key, parts: [part], headers: { "x-upload-target-key": key } })
    // The rest of the first may be in cleanup at the moment.
    yield* eventually(
      "it is received",
      Effect.map(send, ({ body }) => body.safety.received)
    )
  })
  return { ...server, owner, form, head, length, recovered, canBeSentAgain }
})

describe("an upload on a socket (spec 4.4, 7)", () => {
  it.live("An upload is refused by its length before its bytes, and without a length", () =>
    Effect.gen(function* () {
      const { head, logs, port, recovered } = yield* serving("services_upload_length")
      const large = yield* connection(port)
      yield* large.write(head("large", { "Content-Length": `${20 * MEBIBYTE}` }))
      yield* large.write(Buffer.alloc(64 * 1024))
      const refused = yield* large.received("payload-too-large")
      assert.match(refused, /^HTTP\/1\.1 413 /u)
      const chunked = yield* connection(port)
      yield* chunked.write(`${head("chunked", { "Transfer-Encoding": "chunked" })}5\r\n-----\r\n`)
      assert.match(yield* chunked.received("length-required"), /^HTTP\/1\.1 411 /u)
      assert.isUndefined(yield* recovered("large"))
      assert.isUndefined(yield* recovered("chunked"))
      assert.notInclude(JSON.stringify(logs), "died")
    }).pipe(Effect.scoped)
  )

  it.live("An upload may send Expect: 100-continue", () =>
    Effect.gen(function* () {
      const { form, head, length, port } = yield* serving("services_upload_expect")
      const { received, write } = yield* connection(port)
      yield* write(head("expected", { ...length, Expect: "100-continue" }))
      assert.match(yield* received("\r\n\r\n"), /^HTTP\/1\.1 100 Continue\r\n\r\n$/u)
      yield* write(form.body)
      const answer = yield* received('"replayed"')
      assert.match(answer, /HTTP\/1\.1 202 /u)
      assert.include(answer, '"received":true')
    }).pipe(Effect.scoped)
  )

  it.live("An upload that is too slow is cut, and may be sent again", () =>
    Effect.gen(function* () {
      const { canBeSentAgain, form, head, length, logs, port } = yield* serving("services_upload_slow", {
        headersMs: 500,
        requestMs: 500,
        uploadMs: 1_000,
        checkMs: 50
      })
      const { closed, socket, write } = yield* connection(port)
      const began = performance.now()
      yield* write(head("slow", length))
      yield* write(form.body.subarray(0, 2 * MEBIBYTE))
      let sent = 2 * MEBIBYTE
      const trickle = Effect.gen(function* () {
        while (!socket.destroyed) {
          yield* write(form.body.subarray(sent, ++sent))
          yield* Effect.sleep("20 millis")
        }
      })
      const [answer] = yield* Effect.all([closed, trickle], { concurrency: 2 })
      assert.isAbove(performance.now() - began, 900)
      assert.isBelow(performance.now() - began, 8_000)
      assert.match(answer, /^(HTTP\/1\.1 408 |$)/u)
      yield* canBeSentAgain("slow")
      assert.notInclude(JSON.stringify(logs), "died")
    }).pipe(Effect.scoped)
  )

  it.live("An upload may be sent again after its sender left", () =>
    Effect.gen(function* () {
      const { canBeSentAgain, form, head, length, logs, port, recovered } =
        yield* serving("services_upload_gone")
      for (const how of ["reset", "end"] as const) {
        const { socket, write } = yield* connection(port)
        yield* write(head(how, length))
        yield* write(form.body.subarray(0, 2 * MEBIBYTE))
        yield* eventually(
          "it is being received",
          Effect.map(recovered(how), (it) => it !== undefined)
        )
        if (how === "reset") socket.resetAndDestroy()
        else socket.end()
        yield* canBeSentAgain(how)
      }
      assert.notInclude(JSON.stringify(logs), "died")
    }).pipe(Effect.scoped)
  )

  it.live("Thirty-two uploads of 5 MiB succeed together, while the service stays live", () =>
    Effect.gen(function* () {
      const { origin } = yield* servedTo("services_upload_many", {})
      // Four each, as a Profile stages at most 25 MiB.
      const owners = yield* Effect.forEach([2, 3, 4, 5, 6, 7, 8, 9], (number) =>
        Effect.gen(function* () {
          const owner = yield* uploaderOf(number)
          return { ...owner, post: yield* owner.draft() }
        })
      ).pipe(Effect.provideService(TestClient, clientOver(origin)))
      const slowest = { millis: 0 }
      const looking = Effect.gen(function* () {
        while (true) {
          const began = performance.now()
          assert.strictEqual((yield* get(`${origin}/health/live`)).status, 200)
          slowest.millis = Math.max(slowest.millis, performance.now() - began)
          yield* Effect.sleep("20 millis")
        }
      })
      const content = pngOfSize(5 * MEBIBYTE, 1)
      const part = { name: "file", fileName: "picture", mediaType: "image/png", content }
      const uploads = Array.from({ length: 32 }, (_, index) => {
        const { inline, post } = owners[index % owners.length]!
        const key = `many-${index}`
        return inline(post, { key, parts: [part], headers: { "x-upload-target-key": key } })
      })
      const began = performance.now()
      const answers = yield* Effect.all(uploads, { concurrency: "unbounded" }).pipe(Effect.raceFirst(looking))
      assert.deepStrictEqual(
        answers.map(({ body, status }) => [status, body?.safety?.received]),
        uploads.map(() => [202, true])
      )
      yield* Effect.logInfo(`32 uploads of 5 MiB in ${performance.now() - began} ms`)
      assert.isBelow(slowest.millis, 5_000)
    }).pipe(Effect.scoped)
  )
})
