import { createHash } from "node:crypto"
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart
} from "@aws-sdk/client-s3"
import { Clock, Duration, Effect, Exit, Option, Ref, Schedule, Stream } from "effect"
import { sendingMillis, WORK_MILLIS, type S3, type WithSha256 } from "./s3Client.ts"
import { isGone, S3Failure } from "./s3Failure.ts"

/** Bytes of a part, and of the largest object that is sent whole. S3 asks for at least 5 MiB. */
export const PART_SIZE = 8 * 1024 * 1024

/** Age from which an upload in parts belongs to a dead process. */
const ABANDONED_AFTER = Duration.hours(24)
const SWEEP_EVERY = Duration.hours(1)

interface Target {
  readonly Bucket: string
  readonly Key: string
}

/** A store, as the requests of one object use it. */
interface ObjectStore extends S3 {
  readonly withSha256: WithSha256
}

/** Returns both checksums: Ceph accepts a wrong SHA-256, and MD5 alone proves little. */
const checksumsOf = (bytes: Uint8Array, hasSha256: boolean) => ({
  ContentMD5: createHash("md5").update(bytes).digest("base64"),
  ...(hasSha256 ? { ChecksumSHA256: createHash("sha256").update(bytes).digest("base64") } : {}),
  ContentLength: bytes.length
})

const putWhole = (s3: ObjectStore, target: Target, ContentType: string, Body: Uint8Array) =>
  s3.withSha256((hasSha256) => {
    const checksums = checksumsOf(Body, hasSha256)
    return s3.request(
      (client, options) =>
        client.send(new PutObjectCommand({ ...target, ...checksums, ContentType, Body }), options),
      sendingMillis(Body.length)
    )
  })

/** Returns the id of a new upload in parts. Fails for an answer without one. */
const beginUpload = Effect.fnUntraced(function* (s3: ObjectStore, target: Target, ContentType: string) {
  const { UploadId } = yield* s3.withSha256((hasSha256) =>
    s3.request((client, options) =>
      client.send(
        new CreateMultipartUploadCommand({
          ...target,
          ContentType,
          ...(hasSha256 ? { ChecksumAlgorithm: "SHA256" } : {})
        }),
        options
      )
    )
  )
  return UploadId === undefined ? yield* new S3Failure({ code: "NoUploadId" }) : UploadId
})

/** Removes the parts of an upload. Another process, or an attempt whose answer was lost, may have done it. */
const abortUpload = (s3: S3, target: Target, UploadId: string) =>
  s3
    .request((client, options) =>
      client.send(new AbortMultipartUploadCommand({ ...target, UploadId }), options)
    )
    .pipe(Effect.catchIf(isGone, () => Effect.void))

/** Starts an upload in parts. The scope aborts it unless `complete` has made one object of them. */
const makeUpload = Effect.fnUntraced(function* (s3: ObjectStore, target: Target, contentType: string) {
  const UploadId = yield* Effect.acquireRelease(
    beginUpload(s3, target, contentType),
    (id, exit) =>
      // An upload that may be complete fails to abort, which does no harm.
      Exit.isSuccess(exit)
        ? Effect.void
        : Effect.ignore(abortUpload(s3, target, id), {
            log: "Warn",
            message: "The parts of a failed upload stay until the next sweep"
          }),
    { interruptible: true }
  )
  const parts: Array<CompletedPart> = []
  const send = Effect.fnUntraced(function* (Body: Uint8Array) {
    const PartNumber = parts.length + 1
    const part = yield* s3.withSha256((hasSha256) => {
      const { ContentMD5, ContentLength, ...sha256 } = checksumsOf(Body, hasSha256)
      const sent = { ...target, ...sha256, ContentMD5, ContentLength, UploadId, PartNumber, Body }
      return Effect.map(
        s3.request(
          (client, options) => client.send(new UploadPartCommand(sent), options),
          sendingMillis(Body.length)
        ),
        ({ ETag }) => ({ PartNumber, ETag, ...sha256 })
      )
    })
    parts.push(part)
  })
  const complete = s3.withSha256((hasSha256) =>
    s3.request((client, options) => {
      const Parts = hasSha256 ? parts : parts.map(({ ETag, PartNumber }) => ({ ETag, PartNumber }))
      return client.send(
        new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }),
        options
      )
    }, WORK_MILLIS)
  )
  return { send, complete }
})

/** Returns a copy of a chunk, whose memory its stream may use again. The `slice` of a `Buffer` copies nothing. */
const copyOf = (chunk: Uint8Array) => new Uint8Array(chunk)

/** Collects chunks into parts. */
const makeParts = () => {
  let chunks: Array<Uint8Array> = []
  let length = 0
  const takeAll = () => {
    const [first] = chunks
    const all = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length)
    chunks = []
    length = 0
    return all
  }
  return {
    /** Keeps a copy of a chunk and returns the parts that are full. Afterwards it holds at least one byte, if any came. */
    add: (chunk: Uint8Array): ReadonlyArray<Uint8Array> => {
      const full: Array<Uint8Array> = []
      let rest = chunk
      while (length + rest.length > PART_SIZE) {
        const missing = PART_SIZE - length
        chunks.push(copyOf(rest.subarray(0, missing)))
        length = PART_SIZE
        rest = rest.subarray(missing)
        full.push(takeAll())
      }
      if (rest.length > 0) chunks.push(copyOf(rest))
      length += rest.length
      return full
    },
    takeAll
  }
}

/**
 * Stores a stream as one object: in one request up to {@link PART_SIZE}, else in parts, one in memory at a time. The
 * object appears when it is whole.
 *
 * `Upload` of `@aws-sdk/lib-storage` cannot replace this: it sends no Content-MD5 with a part, and Ceph accepts
 * a part with a wrong SHA-256; it has no deadline for a part, so that a stalled store holds an upload for ever; and it
 * reads ahead of the parts that are sent, where a failure of the source must abort the upload.
 */
export const upload = Effect.fnUntraced(function* <E, R>(
  bucket: S3,
  key: string,
  contentType: string,
  body: Stream.Stream<Uint8Array, E, R>
) {
  const s3: ObjectStore = { ...bucket, withSha256: bucket.makeWithSha256() }
  const target = { Bucket: s3.bucket, Key: s3.prefix + key }
  const parts = makeParts()
  const begun = yield* Ref.make(Option.none<Effect.Success<ReturnType<typeof makeUpload>>>())
  const started = Effect.gen(function* () {
    const before = yield* Ref.get(begun)
    if (Option.isSome(before)) return before.value
    const made = yield* makeUpload(s3, target, contentType)
    yield* Ref.set(begun, Option.some(made))
    return made
  })
  let size = 0
  yield* Stream.runForEach(
    body,
    Effect.fnUntraced(function* (chunk) {
      size += chunk.length
      for (const part of parts.add(chunk)) yield* (yield* started).send(part)
    })
  )
  const last = parts.takeAll()
  const multipart = yield* Ref.get(begun)
  if (Option.isNone(multipart)) yield* putWhole(s3, target, contentType, last)
  else {
    yield* multipart.value.send(last)
    yield* multipart.value.complete
  }
  return { size }
}, Effect.scoped)

/** Aborts uploads that dead processes left. Their parts cost storage, and no listing of objects shows them. */
export const sweepUploads = Effect.fnUntraced(function* (s3: S3) {
  const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(ABANDONED_AFTER)
  const found = yield* s3.request((client, options) =>
    client.send(new ListMultipartUploadsCommand({ Bucket: s3.bucket, Prefix: s3.prefix }), options)
  )
  for (const { Initiated, Key, UploadId } of found.Uploads ?? []) {
    if (Key === undefined || UploadId === undefined || Initiated === undefined) continue
    if (Initiated.getTime() <= before) yield* abortUpload(s3, { Bucket: s3.bucket, Key }, UploadId)
  }
})

/** Sweeps abandoned uploads now and every hour; logs failures. */
export const sweepForever = (s3: S3) =>
  sweepUploads(s3).pipe(
    Effect.ignore({ log: "Warn", message: "Abandoned uploads cannot be listed" }),
    Effect.repeat(Schedule.spaced(SWEEP_EVERY))
  )
