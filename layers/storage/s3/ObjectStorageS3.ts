import { Readable } from "node:stream"
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command
} from "@aws-sdk/client-s3"
import { Effect, Layer, Option, Schema, Stream } from "effect"
import {
  ObjectKey,
  ObjectNotFound,
  ObjectStorage,
  StorageUnavailable,
  type ByteRange,
  type ObjectInfo
} from "../../../src/platform/ports/ObjectStorage.ts"
import { checkedContentType, checkedKey, chunksOf, wholeOf } from "../objectChecks.ts"
import { connectS3, WORK_MILLIS, type Options, type S3 } from "./s3Client.ts"
import { failureOf, isBehindEnd, isNotFound, isOursToMend, S3Failure } from "./s3Failure.ts"
import { sweepForever, upload } from "./s3Upload.ts"

type Operation = StorageUnavailable["operation"]

const isKey = Schema.is(ObjectKey)

/** Media type of an object that another program stored without one. */
const NO_CONTENT_TYPE = "application/octet-stream"

/** Matches every prefix that a key can have. The adapter asks the store for no other. */
const CAN_BEGIN_KEY = /^[a-z0-9._/-]{0,512}$/u

/** Returns the failure as the port has it, and logs a failure that an operator must fix. */
const unavailable = (operation: Operation) =>
  Effect.fnUntraced(function* (failure: S3Failure) {
    if (isOursToMend(failure)) yield* Effect.logError(failure.message)
    return yield* new StorageUnavailable({ operation, cause: failure })
  })

const failed = (code: string) => new S3Failure({ code })

/** Streams a body. Fails when a piece is late or bytes are missing. */
const bodyOf = (readable: Readable, length: number, timeoutMillis: number) =>
  Stream.suspend(() => {
    const chunks: AsyncIterator<Uint8Array> = readable[Symbol.asyncIterator]()
    return Stream.unfold(
      0,
      Effect.fnUntraced(function* (position) {
        const next = yield* Effect.tryPromise({ try: () => chunks.next(), catch: failureOf }).pipe(
          Effect.timeoutOrElse({
            duration: timeoutMillis,
            orElse: () => Effect.fail(failed("TimeoutError"))
          })
        )
        if (next.done !== true) return [next.value, position + next.value.length] as const
        if (position !== length) return yield* failed("IncompleteBody")
      })
    )
  }).pipe(Stream.catch((failure) => Stream.fromEffect(unavailable("get")(failure))))

/** Reads the size of the whole, as in `bytes 2-5/10`. */
const wholeSizeOf = (contentRange: string | undefined) => {
  const size = /^bytes \d+-\d+\/(\d{1,15})$/u.exec(contentRange ?? "")?.[1]
  return size === undefined ? undefined : Number(size)
}

/** Writes the range as HTTP does, or none for a whole object. The length must not be 0. */
const rangeHeaderOf = ({ length, offset }: ByteRange) => {
  const first = Math.max(offset, 0)
  if (length === undefined) return first === 0 ? undefined : `bytes=${first}-`
  return `bytes=${first}-${first + length - 1}`
}

const makeStat = (s3: S3) => {
  const bucket = s3.request((client, options) =>
    client.send(new HeadBucketCommand({ Bucket: s3.bucket }), options)
  )
  return Effect.fnUntraced(
    function* (key: ObjectKey) {
      const found = yield* s3.request((client, options) =>
        client.send(new HeadObjectCommand({ Bucket: s3.bucket, Key: s3.prefix + key }), options)
      )
      if (found.ContentLength === undefined) return yield* failed("NoContentLength")
      return {
        size: found.ContentLength,
        contentType: found.ContentType ?? NO_CONTENT_TYPE
      } satisfies ObjectInfo
    },
    // A 404 of HEAD does not name what is missing: without the bucket, every object is missing.
    Effect.catchIf(isNotFound, (missing) =>
      bucket.pipe(
        Effect.mapError((failure) => (isNotFound(failure) ? failed("NoSuchBucket") : failure)),
        Effect.andThen(Effect.fail(missing))
      )
    )
  )
}

const makeGet = (s3: S3, stat: ReturnType<typeof makeStat>) => {
  const open = Effect.fnUntraced(function* (key: ObjectKey, Range: string | undefined) {
    const object = { Bucket: s3.bucket, Key: s3.prefix + key, ...(Range === undefined ? {} : { Range }) }
    const answer = yield* Effect.acquireRelease(
      s3.request(async (client, options) => {
        const { Body, ...answer } = await client.send(new GetObjectCommand(object), options)
        // A destroyed stream emits an error, which needs a listener.
        return { ...answer, body: Body instanceof Readable ? Body.on("error", () => {}) : Readable.from([]) }
      }),
      ({ body }) => Effect.sync(() => body.destroy()),
      { interruptible: true }
    )
    const { body, ContentLength: length, ContentRange, ContentType: contentType = NO_CONTENT_TYPE } = answer
    const size = Range === undefined ? length : wholeSizeOf(ContentRange)
    if (length === undefined || size === undefined) return yield* failed("NotTheRange")
    return { size, contentType, body: bodyOf(body, length, s3.timeoutMillis) }
  })

  /** Returns an empty body for an object that ends before the offset. */
  const nothing = Effect.fnUntraced(function* (key: ObjectKey, offset: number) {
    const info = yield* stat(key)
    // Another put has replaced the shorter object meanwhile.
    if (info.size > offset) return yield* failed("Changed")
    return { ...info, body: Stream.empty }
  })

  return Effect.fnUntraced(function* (key: ObjectKey, range: ByteRange = { offset: 0 }) {
    if (range.length !== undefined && range.length <= 0) return { ...(yield* stat(key)), body: Stream.empty }
    const opened = yield* Effect.result(open(key, rangeHeaderOf(range)))
    if (opened._tag === "Success") return opened.success
    if (isBehindEnd(opened.failure)) return yield* nothing(key, range.offset)
    return yield* opened.failure
  })
}

/** Lists one page after the other; S3 orders keys by their bytes. */
const makeList = (s3: S3) => (prefix: string) => {
  if (!CAN_BEGIN_KEY.test(prefix)) return Stream.empty
  return Stream.paginate(
    "",
    Effect.fnUntraced(function* (token) {
      const page = yield* s3.request((client, options) =>
        client.send(
          new ListObjectsV2Command({
            Bucket: s3.bucket,
            Prefix: s3.prefix + prefix,
            ...(token === "" ? {} : { ContinuationToken: token })
          }),
          options
        )
      )
      // Other programs may store other names in the bucket.
      const keys = (page.Contents ?? []).map(({ Key }) => Key?.slice(s3.prefix.length)).filter(isKey)
      return [keys, Option.fromNullishOr(page.NextContinuationToken)] as const
    })
  )
}

const copyObject = (s3: S3, from: ObjectKey, to: ObjectKey) =>
  s3.request(
    (client, options) =>
      client.send(
        new CopyObjectCommand({
          Bucket: s3.bucket,
          Key: s3.prefix + to,
          CopySource: `${s3.bucket}/${s3.prefix}${from}`
        }),
        options
      ),
    WORK_MILLIS
  )

const make = Effect.fnUntraced(function* (options: Options) {
  const s3 = yield* connectS3(options)
  yield* Effect.forkScoped(sweepForever(s3))
  const info = makeStat(s3)
  const open = makeGet(s3, info)

  /** Returns the failure of an operation on one object, which may be missing. */
  const reading = (operation: Operation, key: ObjectKey) =>
    Effect.fnUntraced(function* (failure: S3Failure) {
      if (isNotFound(failure)) return yield* new ObjectNotFound({ key })
      return yield* unavailable(operation)(failure)
    })

  const put: ObjectStorage["Service"]["put"] = Effect.fn("ObjectStorage.put")(function* (key, body, options) {
    yield* checkedKey(key)
    const contentType = yield* checkedContentType(options.contentType)
    // Marks errors of the stream, which may have any class.
    const marked = Stream.mapError(chunksOf(body), (ofStream) => ({ ofStream }))
    return yield* upload(s3, key, contentType, marked).pipe(
      Effect.catch(
        Effect.fnUntraced(function* (error) {
          if ("ofStream" in error) return yield* Effect.fail(error.ofStream)
          return yield* unavailable("put")(error)
        })
      )
    )
  })

  const get: ObjectStorage["Service"]["get"] = Effect.fn("ObjectStorage.get")(function* (key, options) {
    yield* checkedKey(key)
    return yield* Effect.catch(open(key, options?.range), reading("get", key))
  })

  const stat = Effect.fn("ObjectStorage.stat")(function* (key: ObjectKey) {
    yield* checkedKey(key)
    return yield* Effect.catch(info(key), reading("stat", key))
  })

  const remove = Effect.fn("ObjectStorage.remove")(function* (key: ObjectKey) {
    yield* checkedKey(key)
    yield* s3
      .request((client, options) =>
        client.send(new DeleteObjectCommand({ Bucket: s3.bucket, Key: s3.prefix + key }), options)
      )
      .pipe(
        // Some stores answer 404 for a removed object. For a missing bucket all of them answer another code.
        Effect.catchIf(isNotFound, () => Effect.void),
        Effect.catch(unavailable("remove"))
      )
  })

  const copy = Effect.fn("ObjectStorage.copy")(function* (from: ObjectKey, to: ObjectKey) {
    yield* checkedKey(from)
    yield* checkedKey(to)
    // S3 refuses to copy an object onto itself.
    const copied = from === to ? Effect.asVoid(info(from)) : Effect.asVoid(copyObject(s3, from, to))
    yield* Effect.catch(copied, reading("copy", from))
  })

  const list = (prefix: string) =>
    makeList(s3)(prefix).pipe(Stream.catch((failure) => Stream.fromEffect(unavailable("list")(failure))))

  const read: ObjectStorage["Service"]["read"] = Effect.fn("ObjectStorage.read")(
    (key) => Effect.flatMap(get(key), wholeOf),
    Effect.scoped
  )

  return ObjectStorage.of({ put, get, read, stat, remove, copy, list })
})

/** Objects in a bucket of an S3-compatible store, which any number of machines may share. */
export const layer = (options: Options) => Layer.effect(ObjectStorage, make(options))
