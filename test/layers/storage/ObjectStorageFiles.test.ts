import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, FileSystem, Layer, Stream } from "effect"
import * as ObjectStorageFiles from "../../../layers/storage/ObjectStorageFiles.ts"
import { ObjectKey, ObjectStorage, StorageUnavailable } from "../../../src/platform/ports/ObjectStorage.ts"
import { files, inDirectory } from "./directories.ts"
import { faulty } from "./faultyFiles.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const text = { contentType: "text/plain" }
const a = ObjectKey.make("a/b/c")

describe("objects in files", () => {
  it.effect("Objects are readable only by the service's own user", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const fs = yield* FileSystem.FileSystem
        const store = `${directory}/new/store`
        yield* Effect.flatMap(ObjectStorage, (storage) => storage.put(a, bytes("x"), text)).pipe(
          Effect.provide(ObjectStorageFiles.layer({ directory: store }))
        )
        const modes = yield* Effect.forEach(
          [`${directory}/new`, store, `${store}/objects/a~`, `${store}/objects/a~/b~`, `${store}/temporary`],
          (path) => Effect.map(fs.stat(path), ({ mode }) => (mode & 0o777).toString(8))
        )
        assert.deepStrictEqual(modes, ["700", "700", "700", "700", "700"])
        assert.strictEqual((yield* fs.stat(`${store}/objects/a~/b~/c`)).mode & 0o777, 0o600)
      })
    )
  )

  it.effect("An object and its place are on the disk before put returns", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const calls: Array<string> = []
        const storage = yield* Layer.build(
          ObjectStorageFiles.layer({ directory }).pipe(Layer.provide(faulty(() => false, calls)))
        )
        calls.length = 0
        yield* Effect.flatMap(ObjectStorage, (it) => it.put(a, bytes("x"), text)).pipe(
          Effect.provide(storage)
        )
        const order = calls.map((call) =>
          call.replace(`${directory}/`, "").replace(/temporary\/.*/, "temporary/…")
        )
        assert.deepStrictEqual(order, [
          "write temporary/…",
          "write temporary/…",
          "sync temporary/…",
          "sync objects",
          "sync objects/a~",
          "rename objects/a~/b~/c",
          "sync objects/a~/b~"
        ])
      }, Effect.scoped)
    )
  )

  it.effect("An object shares its file with its copies, but a put changes only its own", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const fs = yield* FileSystem.FileSystem
        const calls: Array<string> = []
        const storage = Context.get(
          yield* Layer.build(
            ObjectStorageFiles.layer({ directory }).pipe(Layer.provide(faulty(() => false, calls)))
          ),
          ObjectStorage
        )
        const [copy, other] = [ObjectKey.make("a/b/copy"), ObjectKey.make("other")]
        yield* storage.put(a, bytes("shared"), text)
        calls.length = 0
        yield* storage.copy(a, copy)
        assert.deepStrictEqual(
          calls.map((call) => call.replace(`${directory}/`, "").replace(/temporary\/.*/, "temporary/…")),
          ["link temporary/…", "rename objects/a~/b~/copy", "sync objects/a~/b~"]
        )
        const inodeOf = (key: string) => Effect.map(fs.stat(`${directory}/objects/${key}`), ({ ino }) => ino)
        assert.deepStrictEqual(yield* inodeOf("a~/b~/c"), yield* inodeOf("a~/b~/copy"))
        // Again, onto itself, and over another object.
        yield* storage.copy(a, copy)
        yield* storage.copy(a, a)
        yield* storage.put(other, bytes("before"), text)
        yield* storage.copy(a, other)
        assert.deepStrictEqual(yield* files(directory), [])
        yield* storage.put(a, bytes("changed"), text)
        for (const key of [copy, other]) {
          assert.strictEqual(new TextDecoder().decode(yield* storage.read(key)), "shared")
        }
        yield* storage.remove(copy)
        assert.strictEqual(new TextDecoder().decode(yield* storage.read(other)), "shared")
        assert.strictEqual(new TextDecoder().decode(yield* storage.read(a)), "changed")
      }, Effect.scoped)
    )
  )

  it.effect("Objects are copied byte for byte where the file system has no links", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const copy = ObjectKey.make("copy")
        yield* Effect.gen(function* () {
          const storage = yield* ObjectStorage
          yield* storage.put(a, bytes("copied"), text)
          yield* storage.copy(a, copy)
          yield* storage.remove(a)
          assert.strictEqual(new TextDecoder().decode(yield* storage.read(copy)), "copied")
          assert.deepStrictEqual({ ...(yield* storage.stat(copy)) }, { size: 6, ...text })
          assert.deepStrictEqual(yield* files(directory), [])
        }).pipe(
          Effect.provide(
            ObjectStorageFiles.layer({ directory }).pipe(Layer.provide(faulty((call) => call === "link")))
          )
        )
      })
    )
  )

  it.effect("Concurrent puts share the fsyncs of their directory, each begun after its rename", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const calls: Array<string> = []
        const storage = Context.get(
          yield* Layer.build(
            ObjectStorageFiles.layer({ directory }).pipe(Layer.provide(faulty(() => false, calls)))
          ),
          ObjectStorage
        )
        yield* storage.put(ObjectKey.make("d/first"), bytes("x"), text)
        calls.length = 0
        const keys = Array.from({ length: 40 }, (_, n) => ObjectKey.make(`d/${n}`))
        const put = (key: ObjectKey) =>
          Effect.andThen(
            storage.put(key, bytes("x"), text),
            Effect.sync(() => {
              const renamed = calls.findIndex(
                (call) => call.startsWith("rename") && call.endsWith(`d~/${key.slice(2)}`)
              )
              const synced = calls.findIndex(
                (call, at) => at > renamed && call.startsWith("sync") && call.endsWith("/d~")
              )
              assert.isAbove(renamed, -1)
              assert.isAbove(synced, renamed)
            })
          )
        yield* Effect.forEach(keys, put, { concurrency: "unbounded" })
        const syncs = calls.filter((call) => call.startsWith("sync") && call.endsWith("/d~"))
        assert.isBelow(syncs.length, keys.length)
      }, Effect.scoped)
    )
  )

  for (const broken of ["write", "sync", "rename"]) {
    it.effect(`Objects stay as they were when the disk refuses to ${broken}, and may be put again`, () =>
      inDirectory(
        Effect.fnUntraced(function* (directory) {
          let isBroken = false
          const fs = faulty(
            (call, path) => isBroken && call === broken && path.includes("/a~/b~/c") === (call === "rename")
          )
          yield* Effect.gen(function* () {
            const storage = yield* ObjectStorage
            yield* storage.put(a, bytes("before"), text)
            isBroken = true
            const error = yield* Effect.flip(storage.put(a, bytes("after"), text))
            assert.instanceOf(error, StorageUnavailable)
            assert.strictEqual(error.operation, "put")
            assert.strictEqual((yield* storage.stat(a)).size, 6)
            assert.deepStrictEqual(yield* files(directory), [])
            isBroken = false
            yield* storage.put(a, bytes("after"), text)
            assert.strictEqual((yield* storage.stat(a)).size, 5)
          }).pipe(Effect.provide(ObjectStorageFiles.layer({ directory }).pipe(Layer.provide(fs))))
        })
      )
    )
  }

  it.effect("An interrupted put leaves nothing behind", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        yield* Effect.gen(function* () {
          const storage = yield* ObjectStorage
          const begun = yield* Deferred.make<void>()
          const endless = Stream.concat(
            Stream.succeed(bytes("x")),
            Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
          )
          const put = yield* Effect.forkChild(storage.put(a, endless, text))
          yield* Deferred.await(begun)
          assert.strictEqual((yield* files(directory)).length, 1)
          yield* Fiber.interrupt(put)
          assert.deepStrictEqual(yield* files(directory), [])
          assert.strictEqual((yield* Effect.flip(storage.stat(a)))._tag, "ObjectNotFound")
        }).pipe(Effect.provide(ObjectStorageFiles.layer({ directory })))
      })
    )
  )

  it.effect("An object is not served when its end is missing or changed", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const fs = yield* FileSystem.FileSystem
        yield* Effect.gen(function* () {
          const storage = yield* ObjectStorage
          yield* storage.put(a, bytes("0123456789"), text)
          const file = `${directory}/objects/a~/b~/c`
          const whole = yield* fs.readFile(file)
          assert.strictEqual(new TextDecoder().decode(whole.subarray(0, 10)), "0123456789")
          const damaged = [
            whole.subarray(1),
            whole.subarray(0, -1),
            bytes(""),
            bytes("x"),
            new Uint8Array(500)
          ]
          for (const bad of damaged) {
            yield* fs.writeFile(file, bad)
            assert.instanceOf(yield* Effect.flip(storage.stat(a)), StorageUnavailable)
            assert.instanceOf(yield* Effect.flip(Effect.scoped(storage.get(a))), StorageUnavailable)
          }
          yield* storage.put(a, bytes("mended"), text)
          assert.strictEqual((yield* storage.stat(a)).size, 6)
        }).pipe(Effect.provide(ObjectStorageFiles.layer({ directory })))
      })
    )
  )
})
