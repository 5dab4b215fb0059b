import { Context, Effect, Layer, Ref, Stream } from "effect"
import {
  ObjectNotFound,
  ObjectStorage,
  StorageUnavailable,
  type ObjectInfo,
  type ObjectKey
} from "../../src/platform/ports/ObjectStorage.ts"
import { boundsOf, checkedContentType, checkedKey, chunksOf } from "../storage/objectChecks.ts"

interface MemoryObject extends ObjectInfo {
  readonly bytes: Uint8Array
}

type Operation = StorageUnavailable["operation"]

/** Controls the store in a test, and shows what it holds. */
export class ObjectStorageMemory extends Context.Service<
  ObjectStorageMemory,
  {
    readonly objects: Effect.Effect<ReadonlyMap<ObjectKey, MemoryObject>>
    /** Makes the next `times` operations of this kind fail as unavailable. */
    readonly failNext: (operation: Operation, times: number) => Effect.Effect<void>
  }
>()("pennypress/layers/testing/ObjectStorageMemory") {}

const make = Effect.gen(function* () {
  const objects = yield* Ref.make<ReadonlyMap<ObjectKey, MemoryObject>>(new Map())
  const failures = yield* Ref.make<ReadonlyMap<Operation, number>>(new Map())

  const maybeFail = Effect.fnUntraced(function* (operation: Operation) {
    const left = yield* Ref.modify(failures, (all) => {
      const count = all.get(operation) ?? 0
      return [count, new Map(all).set(operation, Math.max(0, count - 1))]
    })
    if (left > 0) return yield* new StorageUnavailable({ operation, cause: new Error("Told to fail") })
  })

  const find = Effect.fnUntraced(function* (key: ObjectKey) {
    const object = (yield* Ref.get(objects)).get(yield* checkedKey(key))
    return object === undefined ? yield* new ObjectNotFound({ key }) : object
  })

  const store = (key: ObjectKey, object: MemoryObject) =>
    Ref.update(objects, (all) => new Map(all).set(key, object))

  const storage = ObjectStorage.of({
    put: Effect.fnUntraced(function* (key, body, options) {
      yield* checkedKey(key)
      const contentType = yield* checkedContentType(options.contentType)
      const bytes = yield* Stream.mkUint8Array(Stream.map(chunksOf(body), (piece) => new Uint8Array(piece)))
      yield* maybeFail("put")
      yield* store(key, { bytes, size: bytes.length, contentType })
      return { size: bytes.length }
    }),
    get: Effect.fnUntraced(function* (key, options) {
      yield* maybeFail("get")
      const { bytes, contentType, size } = yield* find(key)
      const { end, start } = boundsOf(size, options?.range)
      return { size, contentType, body: start < end ? Stream.succeed(bytes.slice(start, end)) : Stream.empty }
    }),
    read: Effect.fnUntraced(function* (key) {
      yield* maybeFail("get")
      const { bytes } = yield* find(key)
      return bytes.slice()
    }),
    stat: Effect.fnUntraced(function* (key) {
      yield* maybeFail("stat")
      const { contentType, size } = yield* find(key)
      return { size, contentType }
    }),
    remove: Effect.fnUntraced(function* (key) {
      yield* checkedKey(key)
      yield* maybeFail("remove")
      yield* Ref.update(objects, (all) => new Map([...all].filter(([other]) => other !== key)))
    }),
    copy: Effect.fnUntraced(function* (from, to) {
      yield* maybeFail("copy")
      yield* store(yield* checkedKey(to), yield* find(from))
    }),
    list: (prefix) =>
      Stream.fromIterableEffect(
        Effect.andThen(
          maybeFail("list"),
          Effect.map(Ref.get(objects), (all) =>
            [...all.keys()].filter((key) => key.startsWith(prefix)).toSorted()
          )
        )
      )
  })

  const control = ObjectStorageMemory.of({
    objects: Ref.get(objects),
    failNext: (operation, times) => Ref.update(failures, (all) => new Map(all).set(operation, times))
  })
  return Context.make(ObjectStorage, storage).pipe(Context.add(ObjectStorageMemory, control))
})

/** A store in memory, new for each build of the layer. */
export const layer = Layer.effectContext(make)
