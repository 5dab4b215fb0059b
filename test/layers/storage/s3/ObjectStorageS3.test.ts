import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as ObjectStorageS3 from "../../../../layers/storage/s3/ObjectStorageS3.ts"
import { connectS3 } from "../../../../layers/storage/s3/s3Client.ts"
import {
  failureOf,
  isBehindEnd,
  isNotFound,
  isOursToMend,
  isTransient,
  S3Failure
} from "../../../../layers/storage/s3/s3Failure.ts"
import { sweepUploads } from "../../../../layers/storage/s3/s3Upload.ts"
import { ObjectKey, ObjectStorage } from "../../../../src/platform/ports/ObjectStorage.ts"
import { objectStorageSuite } from "../objectStorageSuite.ts"
import { firstOf, s3Proxy } from "./s3Proxy.ts"
import { peculiarS3Server, s3Server } from "./s3Server.ts"

/** A store to which a test sends nothing. */
const UNUSED = "s3://none:none@127.0.0.1/none?endpoint=http://127.0.0.1:1"

const folder = Effect.map(s3Server, (url) => `${url}&prefix=in/folder`)

objectStorageSuite(
  "objects in S3",
  Layer.unwrap(Effect.map(folder, (url) => ObjectStorageS3.layer({ url: Redacted.make(url) }))).pipe(
    Layer.orDie
  ),
  it.live
)

describe("a store that refuses SHA-256 checksums", () => {
  for (const [status, code] of [
    [400, "InvalidArgument"],
    [400, "InvalidRequest"],
    [403, "SignatureDoesNotMatch"],
    [501, "NotImplemented"]
  ] as const)
    it.live(`A store that refuses them with ${status} ${code} is asked once, and then without them`, () =>
      Effect.gen(function* () {
        const proxy = yield* s3Proxy(yield* peculiarS3Server({ refusal: [status, code] }))
        const puts = () => proxy.seen.filter((line) => line.startsWith("PUT ")).length
        yield* Effect.gen(function* () {
          const storage = yield* ObjectStorage
          const stored = Effect.fnUntraced(function* (size: number) {
            const key = ObjectKey.make(`a/${size}`)
            yield* storage.put(key, new Uint8Array(size).fill(7), { contentType: "a/b" })
            return (yield* storage.read(key)).length
          })
          assert.strictEqual(yield* stored(10), 10)
          assert.strictEqual(puts(), 2)
          assert.strictEqual(yield* stored(20), 20)
          assert.strictEqual(puts(), 3)
          assert.strictEqual(yield* stored(9_000_000), 9_000_000)
          assert.strictEqual(puts(), 5)
        }).pipe(Effect.provide(ObjectStorageS3.layer({ url: Redacted.make(proxy.url) })))
      }).pipe(Effect.scoped)
    )

  it.live("A first object in parts is stored too", () =>
    Effect.gen(function* () {
      const url = yield* peculiarS3Server({ refusal: [400, "InvalidArgument"] })
      yield* Effect.gen(function* () {
        const storage = yield* ObjectStorage
        const key = ObjectKey.make("a")
        yield* storage.put(key, new Uint8Array(9_000_000), { contentType: "a/b" })
        assert.strictEqual((yield* storage.stat(key)).size, 9_000_000)
      }).pipe(Effect.provide(ObjectStorageS3.layer({ url: Redacted.make(url) })))
    }).pipe(Effect.scoped)
  )
})

describe("the choice of checksums", () => {
  const refused = new S3Failure({ code: "InvalidArgument", status: 400 })
  const sending =
    <A>(before: Effect.Effect<void>, value: A) =>
    (hasSha256: boolean) =>
      Effect.andThen(before, hasSha256 ? Effect.fail(refused) : Effect.succeed(value))

  it.effect("A request that is refused after another one found the reason is repeated too", () =>
    Effect.gen(function* () {
      const s3 = yield* connectS3({ url: Redacted.make(UNUSED) })
      const isLate = yield* Deferred.make<void>()
      const late = yield* Effect.forkChild(s3.makeWithSha256()(sending(Deferred.await(isLate), "late")), {
        startImmediately: true
      })
      assert.strictEqual(yield* s3.makeWithSha256()(sending(Effect.void, "first")), "first")
      yield* Deferred.succeed(isLate, undefined)
      assert.strictEqual(yield* Fiber.join(late), "late")
    }).pipe(Effect.scoped)
  )

  it.effect("All parts of an object are sent as its first one was", () =>
    Effect.gen(function* () {
      const s3 = yield* connectS3({ url: Redacted.make(UNUSED) })
      const [begun, other] = [s3.makeWithSha256(), s3.makeWithSha256()]
      assert.isTrue(yield* begun(Effect.succeed))
      yield* other(sending(Effect.void, "other"))
      assert.isTrue(yield* begun(Effect.succeed))
      assert.isFalse(yield* other(Effect.succeed))
      assert.isFalse(yield* s3.makeWithSha256()(Effect.succeed))
    }).pipe(Effect.scoped)
  )
})

describe("a store with another time", () => {
  it.live("A store whose clock is hours ahead is asked again with its own time", () =>
    Effect.gen(function* () {
      for (const aheadMillis of [3 * 3_600_000, -3 * 3_600_000]) {
        const proxy = yield* s3Proxy(yield* peculiarS3Server({ aheadMillis }))
        yield* Effect.gen(function* () {
          const storage = yield* ObjectStorage
          const key = ObjectKey.make("a")
          // The answer to HEAD names no reason.
          assert.strictEqual((yield* Effect.flip(storage.stat(key)))._tag, "ObjectNotFound")
          yield* storage.put(key, new Uint8Array(1_000), { contentType: "a/b" })
          assert.strictEqual((yield* storage.read(key)).length, 1_000)
          assert.strictEqual(proxy.seen.filter((line) => line.startsWith("PUT ")).length, 1)
        }).pipe(Effect.provide(ObjectStorageS3.layer({ url: Redacted.make(proxy.url) })))
      }
    }).pipe(Effect.scoped)
  )
})

describe("readers of objects", () => {
  it.live("Readers who stop in the middle of an object keep no one else from the store", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* s3Server)
      yield* Effect.gen(function* () {
        const storage = yield* ObjectStorage
        const key = ObjectKey.make("a")
        yield* storage.put(key, new Uint8Array(7_000_000), { contentType: "a/b" })
        yield* Effect.forEach(Array.from({ length: 60 }), () => storage.get(key), { discard: true })
        assert.strictEqual((yield* storage.stat(key)).size, 7_000_000)
      }).pipe(Effect.provide(ObjectStorageS3.layer({ url, timeout: "1 second" })))
    }).pipe(Effect.scoped)
  )
})

describe("a slow store", () => {
  it.live("A store that takes four seconds for each answer stores an object and returns it", () =>
    Effect.gen(function* () {
      const url = yield* peculiarS3Server({ answerMillis: 4_000 })
      yield* Effect.gen(function* () {
        const storage = yield* ObjectStorage
        const key = ObjectKey.make("a")
        yield* storage.put(key, new Uint8Array(1_000), { contentType: "a/b" })
        assert.strictEqual((yield* storage.read(key)).length, 1_000)
      }).pipe(Effect.provide(ObjectStorageS3.layer({ url: Redacted.make(url) })))
    }).pipe(Effect.scoped)
  )
})

describe("an upload that a dead process left", () => {
  it.effect("An abandoned upload is aborted after a day, and not before", () =>
    Effect.gen(function* () {
      const proxy = yield* s3Proxy(yield* folder)
      const layer = ObjectStorageS3.layer({ url: Redacted.make(proxy.url) })
      const aborts = () => proxy.seen.filter((line) => line.startsWith("DELETE ")).length
      yield* TestClock.setTime(Date.now())
      // The proxy refuses its completion and its abort alike.
      const begun = (method: string, url: string) => method === "POST" && url.includes("?uploads")
      proxy.faults.next = (method, url) =>
        (method === "DELETE" || method === "POST") && !begun(method, url)
          ? { status: 403, code: "AccessDenied" }
          : undefined
      yield* Effect.gen(function* () {
        const storage = yield* ObjectStorage
        yield* Effect.flip(
          storage.put(ObjectKey.make("a"), new Uint8Array(9_000_000), { contentType: "a/b" })
        )
      }).pipe(Effect.provide(layer))
      assert.strictEqual(aborts(), 1)

      proxy.faults.next = () => undefined
      const s3 = yield* connectS3({ url: Redacted.make(proxy.url) })
      yield* TestClock.adjust("23 hours")
      yield* sweepUploads(s3)
      assert.strictEqual(aborts(), 1)
      yield* TestClock.adjust("2 hours")
      yield* sweepUploads(s3)
      yield* sweepUploads(s3)
      assert.strictEqual(aborts(), 2)
    }).pipe(Effect.scoped)
  )
})

describe("uploads that dead processes left", () => {
  it.effect("The sweep goes on after an upload that is gone already", () =>
    Effect.gen(function* () {
      const proxy = yield* s3Proxy(yield* folder)
      yield* TestClock.setTime(Date.now())
      const url = Redacted.make(proxy.url)
      const refused = (method: string) =>
        method === "DELETE" ? ({ status: 403, code: "AccessDenied" } as const) : undefined
      proxy.faults.next = (method, url) =>
        url.includes("partNumber") ? { status: 403, code: "AccessDenied" } : refused(method)
      yield* Effect.gen(function* () {
        const storage = yield* ObjectStorage
        for (const name of ["a", "b"])
          yield* Effect.flip(
            storage.put(ObjectKey.make(name), new Uint8Array(9_000_000), { contentType: "a/b" })
          )
      }).pipe(Effect.provide(ObjectStorageS3.layer({ url })))
      const s3 = yield* connectS3({ url })
      const before = proxy.seen.length
      // Another process aborted it after this one listed it.
      proxy.faults.next = firstOf("DELETE", 1, { status: 404, code: "NoSuchUpload" })
      yield* TestClock.adjust("25 hours")
      yield* sweepUploads(s3)
      assert.strictEqual(proxy.seen.slice(before).filter((line) => line.startsWith("DELETE ")).length, 2)
    }).pipe(Effect.scoped)
  )
})

describe("a failure of S3", () => {
  const answer = (name: string, httpStatusCode: number) =>
    failureOf(Object.assign(new Error("secret"), { name, $metadata: { httpStatusCode, requestId: "tx1" } }))
  const socket = (code: string) => failureOf(Object.assign(new Error("secret"), { code }))

  it("A failure of S3 is transient or not", () => {
    for (const status of [429, 500, 502, 503, 504])
      assert.isTrue(isTransient(answer("Unknown", status)), `${status}`)
    for (const code of [
      "RequestTimeout",
      "BadDigest",
      "XAmzContentSHA256Mismatch",
      "XAmzContentChecksumMismatch"
    ])
      assert.isTrue(isTransient(answer(code, 400)), code)
    for (const code of [
      "ECONNRESET",
      "EPIPE",
      "ECONNREFUSED",
      "ETIMEDOUT",
      "EAI_AGAIN",
      "HPE_INVALID_CONSTANT"
    ]) {
      assert.isTrue(isTransient(socket(code)), code)
    }
    assert.isTrue(isTransient(failureOf(Object.assign(new Error("secret"), { name: "TimeoutError" }))))
    for (const status of [400, 401, 403, 404, 405, 409, 412, 416, 501]) {
      assert.isFalse(isTransient(answer("Refused", status)), `${status}`)
    }
    for (const code of ["CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT"])
      assert.isFalse(isTransient(socket(code)))
    for (const cause of [undefined, null, "secret", new Error("secret"), { name: 1 }]) {
      assert.isFalse(isTransient(failureOf(cause)))
    }
  })

  it("A failure of S3 says what is missing", () => {
    assert.isTrue(isNotFound(answer("NoSuchKey", 404)))
    assert.isTrue(isNotFound(answer("NotFound", 404)))
    for (const code of ["NoSuchBucket", "NoSuchUpload"]) assert.isFalse(isNotFound(answer(code, 404)), code)
    assert.isTrue(isBehindEnd(answer("InvalidRange", 416)))
    assert.isTrue(isOursToMend(answer("NoSuchBucket", 404)))
    // A store may redirect to another region, and a proxy to TLS, without a code.
    for (const status of [301, 302, 307, 308])
      assert.isTrue(isOursToMend(answer("Unknown", status)), `${status}`)
    assert.isFalse(isOursToMend(answer("SlowDown", 503)))
  })

  it("A failure of S3 repeats no words of the store", () => {
    assert.strictEqual(
      answer("SlowDown", 503).message,
      "The object store did not do it: SlowDown (503), request tx1"
    )
    assert.strictEqual(
      answer("NoSuchBucket", 404).message,
      "The bucket of S3_URL does not exist: NoSuchBucket (404), request tx1"
    )
    assert.strictEqual(answer("a secret with spaces", 500).code, "500")
    // The answer to HEAD has no body with a code.
    assert.isTrue(isOursToMend(answer("Unknown", 403)))
    assert.notInclude(
      JSON.stringify([answer("x\r\n", 500), socket("a b"), failureOf(new Error("secret"))]),
      "secret"
    )
  })
})
