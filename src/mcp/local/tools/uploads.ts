import { Effect } from "effect"
import {
  type AttachmentStatusArguments,
  BrowserToolkit,
  type ImageActArguments,
  type ImageStatusArguments,
  type OpenArguments,
  type Receipt,
  UploadToolkit
} from "../../../../schemas/mcp/local/uploadTools.ts"
import { PostId, UploadOperationId, UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import { Cleaner } from "../../tools/untrusted.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import { Intents } from "../intents/Intents.ts"
import { makeOperation } from "../intents/Operation.ts"
import { Browser } from "../ports/Browser.ts"
import { StateStore } from "../ports/StateStore.ts"
import { repeatable } from "../service/retries.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { uploadReceiptOf } from "../uploads/uploadReceipt.ts"
import { makeUploads } from "../uploads/uploads.ts"

type Act = Omit<ImageActArguments, "intent_id">

/** The operations of images and ZIPs. */
export const makeUploadOperations = Effect.gen(function* () {
  const sessions = yield* Sessions
  const { client, origin } = yield* ServiceApi
  const uploads = yield* makeUploads

  const paramsOf = ({ operation_id: id }: Act) => ({
    params: { operationId: UploadOperationId.make(id.toLowerCase()) }
  })
  const received = (receipt: Receipt) => ({ receipt })

  const associate = makeOperation<Act, { readonly receipt: Receipt }>({
    tool: "svc_image_associate",
    send: ({ args }) =>
      repeatable(sessions.asPublisher(client.uploads.associate(paramsOf(args)))).pipe(
        Effect.flatMap((receipt) => uploadReceiptOf(receipt, origin)),
        Effect.map(received)
      )
  })

  const cancel = makeOperation<Act, { readonly receipt: Receipt }>({
    tool: "svc_image_cancel",
    send: ({ args }) =>
      repeatable(sessions.asPublisher(client.uploads.cancel(paramsOf(args)))).pipe(
        Effect.flatMap((receipt) => uploadReceiptOf(receipt, origin)),
        Effect.map(received)
      )
  })

  return { ...uploads, associate, cancel }
})

/** The handlers of images and ZIPs, which belong to the toolset `drafts`. */
export const makeUploadHandlers = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const intents = yield* Intents
  const { client, origin } = yield* ServiceApi
  const operations = yield* makeUploadOperations

  const status = Effect.fnUntraced(function* (wanted: ImageStatusArguments) {
    const { node_key: key, operation_id: id, post_id: postId, request_key: requestKey, target } = wanted
    if (id !== undefined) {
      const params = { operationId: UploadOperationId.make(id.toLowerCase()) }
      const read = client.uploads
        .status({ params })
        // An administrator holds it; the refusal has the receipt.
        .pipe(Effect.catchTag("ScreeningBlocked", (held) => Effect.succeed(held)))
      return { receipts: [yield* uploadReceiptOf(yield* sessions.asPublisher(read), origin)] }
    }
    const identity = yield* store.read((tx) => Effect.succeed(readIdentity(tx)))
    const isOfProfile = target === "avatar" || target === "header"
    const targetId = isOfProfile ? identity?.ownerId : postId?.toLowerCase()
    if (requestKey === undefined || target === undefined || targetId === undefined) {
      return yield* marked("validation", {
        fields: [
          {
            field: "request_key",
            code: "required",
            message: "Name the operation, or the key of a request with its target and Post"
          }
        ]
      })
    }
    const { operations: found } = yield* sessions.asPublisher(
      client.uploads.list({
        query: {
          requestKey,
          targetKind: target,
          targetId: UploadTargetId.make(targetId),
          targetKey: key ?? ""
        }
      })
    )
    return { receipts: yield* Effect.forEach(found, (receipt) => uploadReceiptOf(receipt, origin)) }
  })

  const attachments = Effect.fnUntraced(function* (wanted: AttachmentStatusArguments) {
    const params = { postId: PostId.make(wanted.post_id.toLowerCase()) }
    const { operations: found } = yield* sessions.asPublisher(client.attachments.list({ params }))
    const cleaner = new Cleaner()
    const own = found.flatMap(({ attachment }) =>
      attachment === undefined || attachment === null ? [] : [attachment]
    )
    const id = wanted.attachment_id?.toLowerCase()
    return {
      attachments: own
        .filter((attachment) => id === undefined || attachment.id === id)
        .map(({ byteSize, fileName, id, state }) => ({
          id,
          byteSize,
          state,
          untrusted: { fileName: cleaner.text(fileName) }
        }))
    }
  })

  return UploadToolkit.of({
    svc_upload_image: ({ intent_id: intentId, ...args }) =>
      Effect.flatMap(operations.readImage(args.path, args.target), ({ sha256 }) =>
        intents.run(operations.image, { ...args, sha256 }, intentId)
      ),
    svc_image_status: status,
    svc_image_associate: ({ intent_id: intentId, ...args }) =>
      intents.run(operations.associate, args, intentId),
    svc_image_cancel: ({ intent_id: intentId, ...args }) => intents.run(operations.cancel, args, intentId),
    svc_attach_zip: ({ intent_id: intentId, ...args }) =>
      Effect.flatMap(operations.readZip(args.path), ({ sha256 }) =>
        intents.run(operations.zip, { ...args, sha256 }, intentId)
      ),
    svc_attachment_status: attachments
  })
})

/** The handler that shows a page to a person. The address is made here, never taken from an argument. */
export const makeBrowserHandlers = Effect.gen(function* () {
  const browser = yield* Browser
  const store = yield* StateStore
  const { client, origin } = yield* ServiceApi

  const pathOf = Effect.fnUntraced(function* ({ post_id: postId, target }: OpenArguments) {
    if (target === "docs") return "/docs"
    if (target === "profile") {
      const identity = yield* store.read((tx) => Effect.succeed(readIdentity(tx)))
      return identity === undefined ? yield* marked("identity-not-selected") : `/@${identity.handle}`
    }
    if (postId === undefined) {
      const message = "Name the Post to open"
      return yield* marked("validation", { fields: [{ field: "post_id", code: "required", message }] })
    }
    const params = { postId: PostId.make(postId.toLowerCase()) }
    const { url } = yield* toFailure(client.discovery.post({ params }))
    return url
  })

  return BrowserToolkit.of({
    svc_open_browser: Effect.fnUntraced(function* (wanted) {
      const url = new URL(yield* pathOf(wanted), origin)
      if (url.origin !== origin) return yield* marked("origin-mismatch")
      return { url: url.href, opened: yield* browser.open(url) }
    })
  })
})
