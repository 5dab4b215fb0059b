import { Context, Schema, type Effect, type Scope, type Stream } from "effect"

/** Maximum bytes of a key, well below the limit of any store, with room for a prefix. */
const OBJECT_KEY_LENGTH = 512

/**
 * The name of an object, as in `images/0197…/original.webp`: one to eight segments between slashes. A segment has 1 to
 * 120 characters of `a-z 0-9 . _ -` and begins with a letter or digit, so that none is `..`, hidden or empty. Only
 * lower case, because some file systems ignore case.
 */
export const ObjectKey = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9._-]{0,119}(\/[a-z0-9][a-z0-9._-]{0,119}){0,7}$/),
  Schema.isMaxLength(OBJECT_KEY_LENGTH)
).pipe(Schema.brand("ObjectKey"))
export type ObjectKey = typeof ObjectKey.Type

/** A media type as HTTP writes it, as in `text/plain; charset=utf-8`: at most 255 visible ASCII characters and spaces. */
export const ContentType = Schema.String.check(Schema.isPattern(/^[!-~]([ -~]{0,253}[!-~])?$/))

/** The store has no object with this key. */
export class ObjectNotFound extends Schema.TaggedError<ObjectNotFound>()("ObjectNotFound", {
  key: ObjectKey
}) {}

/**
 * The store failed and may succeed later: it is full, away, or its disk failed. The operation had no effect, or its full
 * effect without confirmation; a retry is right in both cases.
 */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  operation: Schema.Literals(["put", "get", "stat", "remove", "copy", "list"]),
  cause: Schema.Defect()
}) {}

/** Facts about an object that need no read of its bytes. */
export interface ObjectInfo {
  /** Bytes of the whole object. */
  readonly size: number
  /** The {@link ContentType} of the put. */
  readonly contentType: string
}

/** An open object. Its body stays the same to the end, even when another put replaces the object. */
export interface StoredObject extends ObjectInfo {
  readonly body: Stream.Stream<Uint8Array, StorageUnavailable>
}

/** A part of an object in bytes, cut off at the end of the object and empty beyond it. */
export interface ByteRange {
  readonly offset: number
  /** The rest of the object when absent. */
  readonly length?: number | undefined
}

/**
 * Stores the bytes of images, attachments and quarantined uploads. Objects are whole or absent: a reader never sees
 * part of a put, and one of several concurrent puts of a key wins. The object is on the disk when `put` returns. Every
 * operation may be repeated. A malformed key or media type is a defect.
 */
export class ObjectStorage extends Context.Service<
  ObjectStorage,
  {
    /**
     * Stores an object, replacing an earlier one, and returns its size in bytes. An error of the stream is passed on,
     * and nothing is changed. The stream may reuse the memory of a piece once the next piece is requested.
     */
    readonly put: <E = never, R = never>(
      key: ObjectKey,
      body: Uint8Array | Stream.Stream<Uint8Array, E, R>,
      options: { readonly contentType: string }
    ) => Effect.Effect<{ readonly size: number }, StorageUnavailable | E, R>

    /** Opens an object, or a part of it, until the scope closes. `size` is that of the whole object. */
    readonly get: (
      key: ObjectKey,
      options?: { readonly range?: ByteRange | undefined }
    ) => Effect.Effect<StoredObject, ObjectNotFound | StorageUnavailable, Scope.Scope>

    /** Returns the bytes of a small object. */
    readonly read: (key: ObjectKey) => Effect.Effect<Uint8Array, ObjectNotFound | StorageUnavailable>

    /** Returns the size and media type of an object. */
    readonly stat: (key: ObjectKey) => Effect.Effect<ObjectInfo, ObjectNotFound | StorageUnavailable>

    /** Removes an object for good, if it exists. */
    readonly remove: (key: ObjectKey) => Effect.Effect<void, StorageUnavailable>

    /** Stores the bytes and media type of an object under another key too. */
    readonly copy: (
      from: ObjectKey,
      to: ObjectKey
    ) => Effect.Effect<void, ObjectNotFound | StorageUnavailable>

    /**
     * Lists the keys that begin with `prefix`, in ascending order of their characters; all keys for an empty prefix. A
     * prefix may end within a segment. Keys that are put or removed during the listing may be missing or present.
     */
    readonly list: (prefix: string) => Stream.Stream<ObjectKey, StorageUnavailable>
  }
>()("pennypress/platform/ports/ObjectStorage") {}
