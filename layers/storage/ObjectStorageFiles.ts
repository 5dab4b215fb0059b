import {
  Duration,
  Effect,
  FileSystem,
  Layer,
  Option,
  Path,
  Schedule,
  Schema,
  Stream,
  type PlatformError
} from "effect"
import { SecureRandom } from "effect/crypto"
import {
  ObjectKey,
  ObjectNotFound,
  ObjectStorage,
  StorageUnavailable
} from "../../src/platform/ports/ObjectStorage.ts"
import { makeDurableFiles } from "../files/durableFiles.ts"
import { boundsOf, checkedContentType, checkedKey, chunksOf } from "./objectChecks.ts"
import { readInfo, trailerOf } from "./objectFormat.ts"
import { sweepTemporaryFiles, temporaryName } from "./temporaryFiles.ts"

/** Bytes of one read of a file. */
const CHUNK_SIZE = 64 * 1024

/** Ends the name of every directory, and no key, so that `a` and `a/b` can both be objects. */
const DIRECTORY_SUFFIX = "~"

/** Time between two sweeps of temporary files; the first is at the start. */
const SWEEP_EVERY = Duration.hours(1)

export interface Options {
  /** Directory of the store, created when absent: objects in `objects`, files that are being written in `temporary`. */
  readonly directory: string
  /**
   * Time without a write after which a temporary file of another machine is abandoned; an hour by default. It must
   * exceed the longest pause of a stream, as machines may share the directory.
   */
  readonly abandonedAfter?: Duration.Input | undefined
  /** True for a directory that is only read, such as one of another account: nothing is made or swept in it. */
  readonly isReadOnly?: boolean | undefined
}

type Operation = StorageUnavailable["operation"]

const unavailable = (operation: Operation) => (cause: unknown) => new StorageUnavailable({ operation, cause })

const isKey = Schema.is(ObjectKey)

/** Lists the keys below a directory in order, without directories that cannot hold the prefix. */
const makeList = (fs: FileSystem.FileSystem, path: Path.Path, objects: string) => {
  const walk = (
    directory: string,
    parent: string,
    prefix: string
  ): Stream.Stream<ObjectKey, PlatformError.PlatformError> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const names = yield* fs
          .readDirectory(directory)
          .pipe(Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed([])))
        const found = names
          .map((name) => ({ name, key: parent + name.replace(DIRECTORY_SUFFIX, "/") }))
          .filter(({ key }) => key.startsWith(prefix) || (key.endsWith("/") && prefix.startsWith(key)))
          .toSorted((one, other) => (one.key < other.key ? -1 : 1))
        return Stream.flatMap(Stream.fromIterable(found), ({ key, name }) => {
          if (key.endsWith("/")) return walk(path.join(directory, name), key, prefix)
          return isKey(key) ? Stream.succeed(key) : Stream.empty
        })
      })
    )
  return (prefix: string) => Stream.mapError(walk(objects, "", prefix), unavailable("list"))
}

const bodyOf = (file: FileSystem.File, start: number, end: number) =>
  Stream.unfold(
    start,
    Effect.fnUntraced(function* (position) {
      if (position >= end) return undefined
      const size = Math.min(CHUNK_SIZE, end - position)
      const read = yield* Effect.uninterruptible(file.readAlloc(size, { position: BigInt(position) })).pipe(
        Effect.mapError(unavailable("get"))
      )
      if (Option.isNone(read)) return yield* unavailable("get")(new Error("The file ended early"))
      return [read.value, position + read.value.length] as const
    })
  )

const make = Effect.fnUntraced(function* (options: Options) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const random = yield* SecureRandom.SecureRandom
  const directory = path.resolve(options.directory)
  const objects = path.join(directory, "objects")
  const temporary = path.join(directory, "temporary")
  const files = yield* makeDurableFiles(directory)
  if (options.isReadOnly !== true) {
    yield* files.makeDirectory(objects)
    yield* files.makeDirectory(temporary)
    const sweep = sweepTemporaryFiles(temporary, options.abandonedAfter ?? Duration.hours(1))
    yield* sweep
    yield* Effect.forkScoped(Effect.repeat(Effect.delay(sweep, SWEEP_EVERY), Schedule.forever))
  }

  const temporaryFile = Effect.map(random.uuidV4(), (uuid) =>
    path.join(temporary, temporaryName(process.pid, uuid))
  )

  const fileOf = Effect.fnUntraced(function* (key: ObjectKey) {
    const segments = (yield* checkedKey(key)).split("/")
    const directories = segments.slice(0, -1).map((segment) => segment + DIRECTORY_SUFFIX)
    return path.join(objects, ...directories, ...segments.slice(-1))
  })

  const open = Effect.fnUntraced(
    function* (key: ObjectKey, operation: Operation) {
      const file = yield* fs.open(yield* fileOf(key), { flag: "r" })
      const info = yield* readInfo(file)
      if (Option.isNone(info)) return yield* unavailable(operation)(new Error("Not a whole object"))
      return { file, info: info.value }
    },
    (opening, key, operation) =>
      opening.pipe(
        Effect.catchReason("PlatformError", "NotFound", () => Effect.fail(new ObjectNotFound({ key }))),
        Effect.catchTag("PlatformError", (error) => Effect.fail(unavailable(operation)(error)))
      )
  )

  const put: ObjectStorage["Service"]["put"] = Effect.fn("ObjectStorage.put")(function* (key, body, options) {
    const target = yield* fileOf(key)
    const contentType = yield* checkedContentType(options.contentType)
    const failed = unavailable("put")
    const file = yield* Effect.mapError(files.create(yield* temporaryFile), failed)
    const append = (bytes: Uint8Array) => Effect.mapError(file.append(bytes), failed)
    let size = 0
    yield* Stream.runForEach(chunksOf(body), (piece) => {
      size += piece.length
      return append(piece)
    })
    yield* append(trailerOf({ size, contentType }))
    yield* Effect.mapError(file.commit(target), failed)
    return { size }
  }, Effect.scoped)

  const get: ObjectStorage["Service"]["get"] = Effect.fn("ObjectStorage.get")(function* (key, options) {
    const { file, info } = yield* open(key, "get")
    const { start, end } = boundsOf(info.size, options?.range)
    return { ...info, body: bodyOf(file, start, end) }
  })

  const read: ObjectStorage["Service"]["read"] = Effect.fn("ObjectStorage.read")(function* (key) {
    const { file, info } = yield* open(key, "get")
    const bytes = new Uint8Array(info.size)
    if (info.size === 0) return bytes
    const length = yield* Effect.uninterruptible(file.read(bytes, { position: 0n })).pipe(
      Effect.mapError(unavailable("get"))
    )
    if (length === info.size) return bytes
    return yield* unavailable("get")(new Error("The file ended early"))
  }, Effect.scoped)

  const stat = Effect.fn("ObjectStorage.stat")(
    (key: ObjectKey) => Effect.map(open(key, "stat"), ({ info }) => info),
    Effect.scoped
  )

  const remove = Effect.fn("ObjectStorage.remove")(function* (key: ObjectKey) {
    const file = yield* fileOf(key)
    yield* fs.remove(file, { force: true }).pipe(
      Effect.andThen(files.syncDirectory(path.dirname(file))),
      Effect.catchReason("PlatformError", "NotFound", () => Effect.void),
      Effect.mapError(unavailable("remove"))
    )
  })

  const copyBytes = Effect.fnUntraced(function* (from: ObjectKey, to: ObjectKey) {
    const object = yield* get(from)
    yield* put(to, object.body, { contentType: object.contentType })
  }, Effect.scoped)

  /** Shares the file, as a put never writes to a file in its place. Copies the bytes where that is impossible. */
  const copy = Effect.fn("ObjectStorage.copy")(function* (from: ObjectKey, to: ObjectKey) {
    const [source, target] = [yield* fileOf(from), yield* fileOf(to)]
    yield* files
      .link(source, yield* temporaryFile, target)
      .pipe(Effect.catchTag("PlatformError", () => copyBytes(from, to)))
  })

  return ObjectStorage.of({ put, get, read, stat, remove, copy, list: makeList(fs, path, objects) })
})

/** Objects in a directory of this machine, or in one that several machines share. */
export const layer = (options: Options) => Layer.effect(ObjectStorage, make(options))
