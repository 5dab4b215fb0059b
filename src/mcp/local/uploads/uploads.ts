import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { AttachArguments, ImageArguments, Receipt } from "../../../../schemas/mcp/local/uploadTools.ts"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import {
  ARCHIVE_BYTES_MAX,
  type FileFormat,
  imageFormats,
  INLINE_IMAGE_BYTES_MAX,
  mediaTypeOf,
  TARGET_IMAGE_BYTES_MAX
} from "../../../../schemas/publishing/uploads/limits.ts"
import { type TargetKind, UploadReceipt } from "../../../../schemas/publishing/uploads/Upload.ts"
import { marked } from "../failures/marked.ts"
import { refusedAnswer } from "../failures/refusedAnswer.ts"
import { type Asked, makeOperation } from "../intents/Operation.ts"
import { type LocalFile, LocalFiles } from "../ports/LocalFiles.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { multipartOf } from "./multipart.ts"
import { uploadReceiptOf } from "./uploadReceipt.ts"

/** The place of an upload, as its recovery names it. */
export interface Target {
  readonly kind: TargetKind
  readonly id: string
  readonly key: string
}

type WithDigest<Args> = Omit<Args, "intent_id"> & { readonly sha256: string }
export type ImageUpload = WithDigest<ImageArguments>
export type ZipUpload = WithDigest<AttachArguments>

/** The receipt with which the operation of an upload ends. */
export interface Received {
  readonly receipt: Receipt
}

const decodeReceipt = Schema.decodeUnknownEffect(UploadReceipt)

const required = (field: string, message: string) =>
  marked("validation", { fields: [{ field, code: "required", message }] })

const IMAGE_BYTES_MAX = {
  inline: INLINE_IMAGE_BYTES_MAX,
  og: TARGET_IMAGE_BYTES_MAX,
  avatar: TARGET_IMAGE_BYTES_MAX,
  header: TARGET_IMAGE_BYTES_MAX
} as const

const imagePath = ({ post_id: postId = "", target }: ImageUpload) => {
  if (target === "avatar" || target === "header") return `/api/v1/profile/${target}`
  return `/api/v1/posts/${postId.toLowerCase()}/images${target === "og" ? "?intent=og" : ""}`
}

const mediaOf = (format: FileFormat) => (format === "zip" ? "application/zip" : mediaTypeOf[format])

/** The uploads of images and ZIPs, as operations that survive a crash (spec 4.4). */
export const makeUploads = Effect.gen(function* () {
  const files = yield* LocalFiles
  const sessions = yield* Sessions
  const { client, origin, uploads } = yield* ServiceApi

  const readImage = (path: string, target: ImageUpload["target"]) =>
    files.read(path, { formats: imageFormats, bytesMax: IMAGE_BYTES_MAX[target] })
  const readZip = (path: string) => files.read(path, { formats: ["zip"], bytesMax: ARCHIVE_BYTES_MAX })

  /** Fails for a file that is no longer the file of the intent. */
  const same = (read: Effect.Effect<LocalFile, ToolFailure>, sha256: string) =>
    Effect.filterOrFail(
      read,
      (file) => file.sha256 === sha256,
      () =>
        marked("file-not-allowed", {
          fields: [
            {
              field: "path",
              code: "changed",
              message: "It is no longer the file of this operation; upload it with another intent_id"
            }
          ]
        })
    )

  /** Sends the bytes once. The service knows the request again by its key. */
  const post = Effect.fnUntraced(function* (
    path: string,
    headers: Readonly<Record<string, string>>,
    file: LocalFile
  ) {
    const { body, contentType } = multipartOf({ ...file, mediaType: mediaOf(file.format) })
    const request = HttpClientRequest.post(`${origin}${path}`).pipe(
      HttpClientRequest.setHeaders(headers),
      HttpClientRequest.bodyUint8Array(body, contentType)
    )
    const sent = Effect.gen(function* () {
      const response = yield* uploads.execute(request)
      if (response.status !== 200 && response.status !== 202) return yield* refusedAnswer(response)
      return yield* decodeReceipt(yield* response.json)
    })
    const receipt = yield* sessions.asPublisher(sent)
    return yield* uploadReceiptOf(receipt, origin)
  })

  const targetOf = (args: ImageUpload, ownerId: string): Effect.Effect<Target, ToolFailure> => {
    const { node_key: key, post_id: postId, revision, target: kind } = args
    if (kind === "avatar" || kind === "header") return Effect.succeed({ kind, id: ownerId, key: "" })
    if (postId === undefined) return Effect.fail(required("post_id", "Name the Post of the image"))
    if (revision === undefined) return Effect.fail(required("revision", "Send the revision of the Post"))
    if (kind === "inline" && key === undefined) {
      return Effect.fail(required("node_key", "Name the place of the image in the text"))
    }
    return Effect.succeed({ kind, id: postId.toLowerCase(), key: kind === "inline" ? (key ?? "") : "" })
  }

  const sendImage = ({ args, intent, request }: Asked<ImageUpload, Target>) =>
    Effect.flatMap(same(readImage(args.path, args.target), args.sha256), (file) =>
      post(
        imagePath(args),
        {
          "idempotency-key": intent.idempotencyKey,
          ...(args.revision === undefined ? {} : { "x-post-revision": args.revision }),
          ...(request.kind === "inline" ? { "x-upload-target-key": request.key } : {})
        },
        file
      )
    ).pipe(Effect.map((receipt): Received => ({ receipt })))

  const sendZip = ({ args, intent }: Asked<ZipUpload, null>) =>
    Effect.flatMap(same(readZip(args.path), args.sha256), (file) =>
      post(
        `/api/v1/posts/${args.post_id.toLowerCase()}/attachments`,
        { "idempotency-key": intent.idempotencyKey, "x-post-revision": args.revision },
        file
      )
    ).pipe(Effect.map((receipt): Received => ({ receipt })))

  /** Looks for the upload of a saved request. Undefined when the service asks for its bytes, again or for the first time. */
  const settled = Effect.fnUntraced(function* (requestKey: string, { id, key, kind }: Target) {
    const query = { requestKey, targetKind: kind, targetId: UploadTargetId.make(id), targetKey: key }
    const { operations } = yield* sessions.asPublisher(client.uploads.list({ query }))
    return operations.find(({ safety }) => safety.received || !safety.reuploadAllowed)
  })

  const image = makeOperation<ImageUpload, Received, Target>({
    tool: "svc_upload_image",
    authorize: (tx, { args }) => {
      const identity = readIdentity(tx)
      return identity === undefined
        ? Effect.fail(marked("identity-not-selected"))
        : targetOf(args, identity.ownerId)
    },
    send: sendImage,
    // Looks first, because bytes that the service already has are never sent again (spec 4.4.7).
    resume: (asked) =>
      Effect.gen(function* () {
        const found = yield* settled(asked.intent.idempotencyKey, asked.request)
        return found === undefined
          ? yield* sendImage(asked)
          : { receipt: yield* uploadReceiptOf(found, origin) }
      })
  })

  const zip = makeOperation<ZipUpload, Received>({
    tool: "svc_attach_zip",
    send: sendZip,
    resume: (asked) =>
      Effect.gen(function* () {
        const target = { kind: "attachment", id: asked.args.post_id.toLowerCase(), key: "" } as const
        const found = yield* settled(asked.intent.idempotencyKey, target)
        return found === undefined
          ? yield* sendZip(asked)
          : { receipt: yield* uploadReceiptOf(found, origin) }
      })
  })

  return { image, zip, readImage, readZip }
})
