import { Context, Schema, type Effect, type Scope, type Stream } from "effect"

/** Bytes of a key at most, well below what any store allows once it has put a prefix before it. */
const OBJECT_KEY_LENGTH = 512

/**
 * The name of an object: one to eight segments between slashes, each of 1 to 120 of `a-z 0-9 . _ -` and beginning
 * with a letter or digit, as in `images/0197…/original.webp`. Lower case only, as some file systems do not tell
 * the cases apart; and so no segment is `..`, hidden or empty.
 */
export const ObjectKey = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9._-]{0,119}(\/[a-z0-9][a-z0-9._-]{0,119}){0,7}$/),
  Schema.isMaxLength(OBJECT_KEY_LENGTH)
).pipe(Schema.brand("ObjectKey"))
export type ObjectKey = typeof ObjectKey.Type

/** A media type as HTTP writes it, as in `text/plain; charset=utf-8`: at most 255 visible ASCII characters and spaces. */
export const ContentType = Schema.String.check(Schema.isPattern(/^[!-~]([ -~]{0,253}[!-~])?$/))

/** There is no object of this key. */
export class ObjectNotFound extends Schema.TaggedError<ObjectNotFound>()("ObjectNotFound", {
  key: ObjectKey
}) {}

/**
 * The store could not do it now and may do it later: it is full, away, or its disk failed. Nothing was changed, or
 * what was asked for was done and could not be confirmed; doing it again is right in both cases.
 */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  operation: Schema.Literals(["put", "get", "stat", "remove", "copy", "list"]),
  cause: Schema.Defect()
}) {}

/** What is known of an object without reading it. */
export interface ObjectInfo {
  /** Bytes of the whole object. */
  readonly size: number
  /** The {@link ContentType} it was put with. */
  readonly contentType: string
}

/** An object that is open for reading: the same bytes to their end, also when another is put in its place. */
export interface StoredObject extends ObjectInfo {
  readonly body: Stream.Stream<Uint8Array, StorageUnavailable>
}

/** A part of an object in bytes. What lies behind its end is left out; from the end on there is nothing. */
export interface ByteRange {
  readonly offset: number
  /** To the end when absent. */
  readonly length?: number | undefined
}

/**
 * Where the bytes of images, attachments and quarantined uploads are. Objects are whole or absent: a reader never
 * sees part of a put, and of concurrent puts of one key one stays. What has been put is on the disk when `put`
 * returns. Every operation may be repeated. A key or a media type that is none is a defect.
 */
export class ObjectStorage extends Context.Service<
  ObjectStorage,
  {
    /**
     * Stores an object, in the place of the one that was there. The stream's own errors pass through and leave
     * everything as it was. Answers how many bytes it took.
     */
    readonly put: <E = never, R = never>(
      key: ObjectKey,
      body: Uint8Array | Stream.Stream<Uint8Array, E, R>,
      options: { readonly contentType: string }
    ) => Effect.Effect<{ readonly size: number }, StorageUnavailable | E, R>

    /** Opens an object, or a part of it, for as long as the scope lasts. `size` is always that of the whole. */
    readonly get: (
      key: ObjectKey,
      options?: { readonly range?: ByteRange | undefined }
    ) => Effect.Effect<StoredObject, ObjectNotFound | StorageUnavailable, Scope.Scope>

    /** The bytes of an object in one piece: of one that is known to be small. */
    readonly read: (key: ObjectKey) => Effect.Effect<Uint8Array, ObjectNotFound | StorageUnavailable>

    readonly stat: (key: ObjectKey) => Effect.Effect<ObjectInfo, ObjectNotFound | StorageUnavailable>

    /** Removes an object for good; it may be gone already. */
    readonly remove: (key: ObjectKey) => Effect.Effect<void, StorageUnavailable>

    /** Puts the bytes and media type of one object under another key too. */
    readonly copy: (
      from: ObjectKey,
      to: ObjectKey
    ) => Effect.Effect<void, ObjectNotFound | StorageUnavailable>

    /**
     * The keys that begin with `prefix`, which need not end at a segment, in ascending order of their characters;
     * all keys for an empty one. What is put or removed meanwhile may be there or not.
     */
    readonly list: (prefix: string) => Stream.Stream<ObjectKey, StorageUnavailable>
  }
>()("pennypress/platform/ports/ObjectStorage") {}
