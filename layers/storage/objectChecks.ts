import { Effect, Predicate, Schema, Stream } from "effect"
import {
  ContentType,
  ObjectKey,
  StorageUnavailable,
  type StoredObject
} from "../../src/platform/ports/ObjectStorage.ts"

const isKey = Schema.is(ObjectKey)
const isContentType = Schema.is(ContentType)

/** Returns the key. Dies of text that bypassed the schema, before it can become a path or an address. */
export const checkedKey = (key: ObjectKey): Effect.Effect<ObjectKey> =>
  isKey(key) ? Effect.succeed(key) : Effect.die(new TypeError("Not an object key"))

/** Returns the media type. Dies when it is malformed. */
export const checkedContentType = (contentType: string): Effect.Effect<string> =>
  isContentType(contentType) ? Effect.succeed(contentType) : Effect.die(new TypeError("Not a media type"))

/** Returns the body of `put` as a stream. */
export const chunksOf = <E, R>(
  body: Uint8Array | Stream.Stream<Uint8Array, E, R>
): Stream.Stream<Uint8Array, E, R> => (Predicate.isUint8Array(body) ? Stream.succeed(body) : body)

/** Returns the bounds of a range in bytes; the end is exclusive. */
export const boundsOf = (
  size: number,
  range: { readonly offset: number; readonly length?: number | undefined } = { offset: 0 }
) => {
  const start = Math.min(Math.max(range.offset, 0), size)
  return { start, end: Math.min(size, start + Math.max(range.length ?? size, 0)) }
}

/** Reads an open object into one array. */
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
