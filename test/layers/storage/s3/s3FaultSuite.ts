import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Fiber, Layer, Redacted, type Scope, Stream } from "effect"
import * as ObjectStorageS3 from "../../../../layers/storage/s3/ObjectStorageS3.ts"
import { S3Failure } from "../../../../layers/storage/s3/s3Failure.ts"
import { ObjectKey, ObjectStorage, StorageUnavailable } from "../../../../src/platform/ports/ObjectStorage.ts"
import { eventually } from "../../../support/eventually.ts"
import { type Fault, firstOf, s3Proxy } from "./s3Proxy.ts"

const key = ObjectKey.make("a/b.bin")
const binary = { contentType: "application/x-test" }
const SIZE = 100_000
const bytes = (fill: number, size = SIZE) => new Uint8Array(size).fill(fill)

/** Deadline of every answer: long for a store on this machine. */
const TIMEOUT = Duration.millis(300)

const open = Effect.fnUntraced(function* (url: string, timeout: Duration.Input = TIMEOUT) {
  const layer = ObjectStorageS3.layer({ url: Redacted.make(url), timeout })
  return Context.get(yield* Layer.build(layer), ObjectStorage)
})

const read = (storage: ObjectStorage["Service"]) =>
  Effect.scoped(Effect.flatMap(storage.get(key), ({ body }) => Stream.mkUint8Array(body)))

const causeOf = (error: { readonly _tag: string }) => {
  assert.instanceOf(error, StorageUnavailable)
  assert.instanceOf(error.cause, S3Failure)
  return error.cause
}

/** A body larger than one part. The test decides whether it ends. */
const long = (then: Stream.Stream<Uint8Array> = Stream.empty) =>
  Stream.concat(Stream.fromArray(Array.from({ length: 90 }, () => bytes(3, 100_000))), then)

/** Tests the adapter when the store, or the way to it, fails. `url` names an empty folder each time. */
export const s3FaultSuite = <E>(name: string, url: Effect.Effect<string, E, Scope.Scope>) =>
  describe(name, () => {
    const setup = Effect.gen(function* () {
      const store = yield* url
      const proxy = yield* s3Proxy(store)
      const sent = (method: string) => proxy.seen.filter((line) => line.startsWith(`${method} `))
      return { proxy, sent, direct: yield* open(store), storage: yield* open(proxy.url) }
    })

    const passing: ReadonlyArray<Fault> = [
      { status: 500, code: "InternalError" },
      { status: 502, code: "BadGateway" },
      { status: 503, code: "SlowDown" },
      { status: 429, code: "TooManyRequests" },
      { cutRequest: 50_000 },
      "lost",
      "silent"
    ]

    it.live("A put is repeated after a transient failure", () =>
      Effect.gen(function* () {
        for (const fault of passing) {
          const { direct, proxy, sent, storage } = yield* setup
          proxy.faults.next = firstOf("PUT", 1, fault)
          assert.deepStrictEqual(yield* storage.put(key, bytes(1), binary), { size: SIZE })
          assert.strictEqual(sent("PUT").length, 2, JSON.stringify(fault))
          assert.deepStrictEqual(Buffer.from(yield* read(direct)), Buffer.from(bytes(1)))
        }
      }).pipe(Effect.scoped)
    )

    it.live("Reads, copies, listings and removals are repeated too", () =>
      Effect.gen(function* () {
        const { direct, proxy, storage } = yield* setup
        yield* direct.put(key, bytes(1), binary)
        const once = <A, E, R>(method: string, run: Effect.Effect<A, E, R>) => {
          proxy.faults.next = firstOf(method, 2, { status: 503, code: "SlowDown" })
          return run
        }
        assert.strictEqual((yield* once("HEAD", storage.stat(key))).size, SIZE)
        assert.strictEqual((yield* once("GET", read(storage))).length, SIZE)
        yield* once("PUT", storage.copy(key, ObjectKey.make("c")))
        assert.strictEqual((yield* once("GET", Stream.runCollect(storage.list("")))).length, 2)
        yield* once("DELETE", storage.remove(key))
        assert.deepStrictEqual(yield* Stream.runCollect(direct.list("")), [ObjectKey.make("c")])
      }).pipe(Effect.scoped)
    )

    it.live("A request is given up after several attempts, and has changed nothing", () =>
      Effect.gen(function* () {
        for (const fault of [{ status: 503, code: "SlowDown" }, { cutRequest: 50_000 }, "silent"] as const) {
          const { direct, proxy, sent, storage } = yield* setup
          proxy.faults.next = firstOf("PUT", Infinity, fault)
          const cause = causeOf(yield* Effect.flip(storage.put(key, bytes(1), binary)))
          if (typeof fault === "object" && "status" in fault) {
            assert.deepStrictEqual([cause.code, cause.status], ["SlowDown", 503])
          }
          assert.strictEqual(sent("PUT").length, 4)
          assert.strictEqual((yield* Effect.flip(direct.stat(key)))._tag, "ObjectNotFound")
        }
        const { direct, proxy, storage } = yield* setup
        yield* direct.put(key, bytes(1, 10), binary)
        proxy.faults.next = firstOf("PUT", Infinity, { cutRequest: 50_000 })
        causeOf(yield* Effect.flip(storage.put(key, bytes(2), binary)))
        assert.deepStrictEqual([...(yield* read(direct))], [...bytes(1, 10)])
      }).pipe(Effect.scoped)
    )

    it.live("A refused request is not repeated, and reveals no credentials", () =>
      Effect.gen(function* () {
        const { proxy, sent, storage } = yield* setup
        proxy.faults.next = () => ({ status: 403, code: "InvalidAccessKeyId" })
        const error = yield* Effect.flip(storage.put(key, bytes(1), binary))
        const cause = causeOf(error)
        assert.strictEqual(sent("PUT").length, 1)
        assert.include(cause.message, "The object store refuses the credentials of S3_URL")
        const { password, username } = new URL(proxy.url)
        const told = `${JSON.stringify(error)} ${JSON.stringify(cause)} ${cause.message} ${cause.stack}`
        assert.notInclude(told, decodeURIComponent(password))
        assert.notInclude(told, `${username}:`)
        assert.notInclude(told, "told")
      }).pipe(Effect.scoped)
    )

    it.live("A body fails in its middle when the rest does not come", () =>
      Effect.gen(function* () {
        const { direct, proxy, storage } = yield* setup
        yield* direct.put(key, bytes(1), binary)
        for (const fault of [{ cutAnswer: 50_000 }, { stallAnswer: 50_000 }]) {
          proxy.faults.next = firstOf("GET", 1, fault, "b.bin")
          causeOf(yield* Effect.flip(read(storage)))
          assert.strictEqual((yield* read(storage)).length, SIZE)
        }
      }).pipe(Effect.scoped)
    )

    it.live("An upload makes an object of all parts or of none, and an unfinished one is aborted", () =>
      Effect.gen(function* () {
        const { direct, proxy, sent, storage } = yield* setup
        proxy.faults.next = firstOf("PUT", 1, { cutRequest: 1_000_000 }, "partNumber=1")
        assert.deepStrictEqual(yield* storage.put(key, long(), binary), { size: 9_000_000 })
        assert.strictEqual((yield* read(direct)).length, 9_000_000)
        assert.strictEqual(sent("DELETE").length, 0)

        yield* direct.put(key, bytes(1), binary)
        proxy.faults.next = firstOf("PUT", Infinity, { status: 500, code: "InternalError" }, "partNumber=2")
        causeOf(yield* Effect.flip(storage.put(key, long(), binary)))
        assert.strictEqual(sent("DELETE").filter((line) => line.includes("uploadId=")).length, 1)
        assert.strictEqual((yield* direct.stat(key)).size, SIZE)
      }).pipe(Effect.scoped)
    )

    it.live("An interrupted fiber aborts its request", () =>
      Effect.gen(function* () {
        const { direct, proxy, sent } = yield* setup
        // A shorter deadline would end the request first.
        const storage = yield* open(proxy.url, "1 minute")
        proxy.faults.next = firstOf("PUT", Infinity, "silent")
        const fiber = yield* Effect.forkChild(storage.put(key, bytes(1), binary))
        yield* eventually(
          "the request",
          Effect.sync(() => sent("PUT").length === 1)
        )
        const before = proxy.aborted()
        yield* Fiber.interrupt(fiber)
        yield* eventually(
          "its end",
          Effect.sync(() => proxy.aborted() > before)
        )
        assert.strictEqual(sent("PUT").length, 1)

        const upload = yield* Effect.forkChild(storage.put(key, long(Stream.never), binary))
        proxy.faults.next = () => undefined
        yield* eventually(
          "the first part",
          Effect.sync(() => sent("PUT").length === 2)
        )
        yield* Fiber.interrupt(upload)
        assert.strictEqual(sent("DELETE").filter((line) => line.includes("uploadId=")).length, 1)
        assert.strictEqual((yield* Effect.flip(direct.stat(key)))._tag, "ObjectNotFound")
      }).pipe(Effect.scoped)
    )

    it.live("A body is released with its scope, read or not", () =>
      Effect.gen(function* () {
        const { direct, proxy, storage } = yield* setup
        yield* direct.put(key, bytes(1, 7_000_000), binary)
        const before = proxy.aborted()
        yield* Effect.scoped(storage.get(key))
        yield* eventually(
          "its end",
          Effect.sync(() => proxy.aborted() === before + 1)
        )
        const { body } = yield* Effect.scoped(storage.get(key))
        causeOf(yield* Effect.flip(Stream.runDrain(body)))
        // The pool has fifty connections, and none stays busy.
        yield* Effect.forEach(Array.from({ length: 60 }), () => Effect.scoped(storage.get(key)), {
          discard: true
        })
        assert.strictEqual((yield* storage.stat(key)).size, 7_000_000)
      }).pipe(Effect.scoped)
    )

    it.live("A missing bucket is reported by each operation", () =>
      Effect.gen(function* () {
        const parsed = new URL(yield* url)
        parsed.pathname = "/no-such-bucket-here"
        const storage = yield* open(parsed.href)
        const errors = [
          yield* Effect.flip(storage.put(key, bytes(1), binary)),
          yield* Effect.flip(storage.put(key, long(), binary)),
          yield* Effect.flip(Effect.scoped(storage.get(key))),
          yield* Effect.flip(storage.stat(key)),
          yield* Effect.flip(storage.remove(key)),
          yield* Effect.flip(storage.copy(key, ObjectKey.make("c"))),
          yield* Effect.flip(Stream.runDrain(storage.list("")))
        ]
        for (const error of errors) {
          assert.strictEqual(causeOf(error).message.split(":")[0], "The bucket of S3_URL does not exist")
        }
      }).pipe(Effect.scoped)
    )

    it.live("The service starts without the store", () =>
      Effect.gen(function* () {
        const parsed = new URL(yield* url)
        parsed.searchParams.set("endpoint", "http://127.0.0.1:1")
        const storage = yield* open(parsed.href)
        assert.strictEqual(causeOf(yield* Effect.flip(storage.stat(key))).code, "ECONNREFUSED")
      }).pipe(Effect.scoped)
    )
  })
