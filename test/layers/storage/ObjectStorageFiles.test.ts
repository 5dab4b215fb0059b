import { spawnSync } from "node:child_process"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import {
  Context,
  Deferred,
  Effect,
  Fiber,
  FileSystem,
  Layer,
  Option,
  type Path,
  Stream,
  type PlatformError
} from "effect"
import { SecureRandom } from "effect/crypto"
import { systemError } from "effect/PlatformError"
import { TestClock } from "effect/testing"
import * as ObjectStorageFiles from "../../../layers/storage/ObjectStorageFiles.ts"
import { temporaryName } from "../../../layers/storage/temporaryFiles.ts"
import { ObjectKey, ObjectStorage, StorageUnavailable } from "../../../src/platform/ports/ObjectStorage.ts"
import { eventually } from "../../support/eventually.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const text = { contentType: "text/plain" }
const a = ObjectKey.make("a/b/c")

/** A file system that fails where `broken` says. Records the calls that matter for durability, in order. */
const faulty = (broken: (call: string, path: string) => boolean, calls: Array<string> = []) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const check = (call: string, path: string): Effect.Effect<void, PlatformError.PlatformError> =>
        Effect.suspend(() => {
          calls.push(`${call} ${path}`)
          return broken(call, path)
            ? Effect.fail(
                systemError({ _tag: "Unknown", module: "FileSystem", method: call, pathOrDescriptor: path })
              )
            : Effect.void
        })
      return {
        ...fs,
        link: (from, to) => Effect.andThen(check("link", to), fs.link(from, to)),
        rename: (from, to) => Effect.andThen(check("rename", to), fs.rename(from, to)),
        open: (path, options) =>
          Effect.map(fs.open(path, options), (file) => ({
            [FileSystem.FileTypeId]: FileSystem.FileTypeId,
            stat: file.stat,
            seek: file.seek.bind(file),
            read: file.read.bind(file),
            readAlloc: file.readAlloc.bind(file),
            truncate: file.truncate.bind(file),
            write: file.write.bind(file),
            sync: Effect.andThen(check("sync", path), file.sync),
            writeAll: (chunk) => Effect.andThen(check("write", path), file.writeAll(chunk))
          }))
      } satisfies FileSystem.FileSystem
    })
  )

const inDirectory = <A, E>(
  run: (
    directory: string
  ) => Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | SecureRandom.SecureRandom>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      return yield* run(yield* fs.makeTempDirectoryScoped())
    })
  ).pipe(Effect.provide([NodeServices.layer, SecureRandom.layerWebCrypto]))

const files = (directory: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readDirectory(`${directory}/temporary`))

describe("objects in files", () => {
  it.effect("are readable only by the service's own user", () =>
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

  it.effect("are on the disk before they are in their place, and their place before put returns", () =>
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
          "sync temporary/…",
          "sync objects",
          "sync objects/a~",
          "rename objects/a~/b~/c",
          "sync objects/a~/b~"
        ])
      }, Effect.scoped)
    )
  )

  it.effect(
    "share their file with their copies: one outlives the other, and a put changes only its own",
    () =>
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
          const inodeOf = (key: string) =>
            Effect.map(fs.stat(`${directory}/objects/${key}`), ({ ino }) => ino)
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

  it.effect("are copied byte for byte where the file system has no links", () =>
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

  it.effect("put at once share the fsyncs of their directory, each begun after its rename", () =>
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
    it.effect(`are as they were when the disk refuses to ${broken}, and may be put again`, () =>
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

  it.effect("leave nothing behind when a put is interrupted", () =>
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

  it.effect("left on other machines are swept an hour after their last write", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const fs = yield* FileSystem.FileSystem
        const start = Effect.void.pipe(Effect.provide(ObjectStorageFiles.layer({ directory })))
        yield* start
        yield* fs.writeFileString(`${directory}/temporary/left`, "half")
        const written = (yield* fs.stat(`${directory}/temporary/left`)).mtime
        const time = Option.getOrThrow(written).getTime()
        yield* TestClock.setTime(time + 3_599_999)
        yield* start
        assert.deepStrictEqual(yield* files(directory), ["left"])
        yield* TestClock.setTime(time + 3_600_001)
        yield* start
        assert.deepStrictEqual(yield* files(directory), [])
      })
    )
  )

  it.effect("of a killed process are swept at the next start; those of a living one stay", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const fs = yield* FileSystem.FileSystem
        const start = Effect.void.pipe(Effect.provide(ObjectStorageFiles.layer({ directory })))
        yield* start
        const { pid: dead } = spawnSync(process.execPath, ["--version"])
        const living = temporaryName(process.ppid, "uuid")
        const other = `anotherMachine.${dead}.uuid`
        for (const name of [temporaryName(dead, "uuid"), living, other]) {
          yield* fs.writeFileString(`${directory}/temporary/${name}`, "half")
        }
        yield* start
        assert.sameMembers(yield* files(directory), [living, other])
      })
    )
  )

  it.effect("of killed processes are swept every hour", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const fs = yield* FileSystem.FileSystem
        yield* Layer.build(ObjectStorageFiles.layer({ directory }))
        const { pid: dead } = spawnSync(process.execPath, ["--version"])
        yield* fs.writeFileString(`${directory}/temporary/${temporaryName(dead, "uuid")}`, "half")
        yield* TestClock.adjust("59 minutes")
        assert.lengthOf(yield* files(directory), 1)
        yield* TestClock.adjust("1 minute")
        yield* eventually(
          "a swept file",
          Effect.map(files(directory), (names) => names.length === 0)
        )
      }, Effect.scoped)
    )
  )

  it.effect("are not served when their end is missing or changed", () =>
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
