import { Effect, Predicate, Schema, Stream } from "effect"
import {
  ContentType,
  ObjectKey,
  StorageUnavailable,
  type StoredObject
} from "../../src/platform/ports/ObjectStorage.ts"

const isKey = Schema.is(ObjectKey)
const isContentType = Schema.is(ContentType)

/** The key, or a defect for text that went around the schema, before it can become a path or an address. */
export const checkedKey = (key: ObjectKey): Effect.Effect<ObjectKey> =>
  isKey(key) ? Effect.succeed(key) : Effect.die(new TypeError("Not an object key"))

/** The media type, or a defect when it is none. */
export const checkedContentType = (contentType: string): Effect.Effect<string> =>
  isContentType(contentType) ? Effect.succeed(contentType) : Effect.die(new TypeError("Not a media type"))

/** What `put` takes, as a stream. */
export const chunksOf = <E, R>(
  body: Uint8Array | Stream.Stream<Uint8Array, E, R>
): Stream.Stream<Uint8Array, E, R> => (Predicate.isUint8Array(body) ? Stream.succeed(body) : body)

/** Where a range of an object begins and ends in bytes; the end is behind the last. */
export const boundsOf = (
  size: number,
  range: { readonly offset: number; readonly length?: number | undefined } = { offset: 0 }
) => {
  const start = Math.min(Math.max(range.offset, 0), size)
  return { start, end: Math.min(size, start + Math.max(range.length ?? size, 0)) }
}

/** The bytes of an open object in one piece, into which each is copied as it comes. */
export const wholeOf = Effect.fnUntraced(function* ({ body, size }: StoredObject) {
  const whole = new Uint8Array(size)
  let at = 0
  yield* Stream.runForEach(body, (chunk) =>
    Effect.sync(() => {
      whole.set(chunk, at)
      at += chunk.length
    })
  )
  if (at === size) return whole
  return yield* new StorageUnavailable({ operation: "get", cause: new Error("The object ended early") })
})
