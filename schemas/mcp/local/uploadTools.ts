import { Schema } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import { UUID } from "../../platform/Ids.ts"
import { PostIdArgument, textArgument } from "../arguments.ts"
import { UNTRUSTED } from "../edition.ts"
import { strictTool, READS } from "../tool.ts"
import { IntentId, OperationStatus } from "./operations.ts"
import { FileCard } from "./readTools.ts"

const uuid = Schema.String.check(
  Schema.isPattern(UUID, { expected: "a UUID", toJsonSchema: () => ({ format: "uuid" }) })
)

const members = Schema.Record(Schema.String, Schema.Unknown)

/** The receipt of an upload (spec 2.8). Its actions are addresses of the service. */
export const Receipt = Schema.Struct({
  safety: members,
  publicUrl: Schema.NullOr(Schema.String),
  currentRevision: Schema.NullOr(Schema.String),
  replayed: Schema.Boolean,
  actions: Schema.Record(Schema.String, Schema.String),
  attachment: Schema.NullOr(members)
})
export type Receipt = typeof Receipt.Type

const Received = Schema.Struct({ operation: OperationStatus, receipt: Receipt })

const ImageTarget = Schema.Literals(["inline", "og", "avatar", "header"])

const path = textArgument(4096, "In a directory of svc_context.files; relative to the first")
const revision = textArgument(40, "draft.revision, for a Post")
const nodeKey = textArgument(255, "Names the place in the text; required for inline")
const uploadId = uuid.annotate({ description: "receipt.safety.operationId" })

/** The arguments of an upload of an image. */
export const ImageArguments = Schema.Struct({
  intent_id: Schema.optionalKey(IntentId),
  target: ImageTarget,
  post_id: Schema.optionalKey(PostIdArgument),
  revision: Schema.optionalKey(revision),
  node_key: Schema.optionalKey(nodeKey),
  path
})
export type ImageArguments = typeof ImageArguments.Type

const WRITES = { readOnly: false, destructive: false, idempotent: true, openWorld: true } as const
const REPLACES = { ...WRITES, destructive: true } as const

const upload = strictTool("svc_upload_image", "Upload an image", {
  description:
    "Upload a PNG, JPEG, WebP or GIF for a Post or the Profile. It is screened: check with svc_image_status.",
  hints: WRITES,
  parameters: ImageArguments,
  success: Received
})

/** The arguments that select an upload: its id, or the key of its request with its target. */
export const ImageStatusArguments = Schema.Struct({
  operation_id: Schema.optionalKey(uploadId),
  request_key: Schema.optionalKey(textArgument(128, "With target")),
  target: Schema.optionalKey(ImageTarget),
  post_id: Schema.optionalKey(PostIdArgument),
  node_key: Schema.optionalKey(nodeKey)
})
export type ImageStatusArguments = typeof ImageStatusArguments.Type

const status = strictTool("svc_image_status", "Status of an upload", {
  description: "One check of the screening of an image. Wait safety.retryAfterSeconds before the next.",
  hints: READS,
  parameters: ImageStatusArguments,
  success: Schema.Struct({ receipts: Schema.Array(Receipt) })
})

/** The arguments of an act on an upload. */
export const ImageActArguments = Schema.Struct({
  intent_id: Schema.optionalKey(IntentId),
  operation_id: uploadId
})
export type ImageActArguments = typeof ImageActArguments.Type

const associate = strictTool("svc_image_associate", "Put an image in its place", {
  description: "Put an uploaded og, avatar or header image in its place.",
  hints: REPLACES,
  parameters: ImageActArguments,
  success: Received
})

const cancel = strictTool("svc_image_cancel", "Cancel an upload", {
  description: "Cancel an upload of an image: it is removed.",
  hints: REPLACES,
  parameters: ImageActArguments,
  success: Received
})

/** The arguments of an attachment. */
export const AttachArguments = Schema.Struct({
  intent_id: Schema.optionalKey(IntentId),
  post_id: PostIdArgument,
  revision,
  path
})
export type AttachArguments = typeof AttachArguments.Type

const attach = strictTool("svc_attach_zip", "Attach a ZIP", {
  description: "Attach a ZIP to the paid section of a Post. Buyers get it once it is screened.",
  hints: WRITES,
  parameters: AttachArguments,
  success: Received
})

/** The arguments that select attachments. */
export const AttachmentStatusArguments = Schema.Struct({
  post_id: PostIdArgument,
  attachment_id: Schema.optionalKey(uuid)
})
export type AttachmentStatusArguments = typeof AttachmentStatusArguments.Type

const attachments = strictTool("svc_attachment_status", "Status of attachments", {
  description: `The ZIPs of a Post of yours, and whether buyers get them. ${UNTRUSTED}`,
  hints: READS,
  parameters: AttachmentStatusArguments,
  success: Schema.Struct({
    attachments: Schema.Array(FileCard)
  })
})

/** The tools of images and ZIPs of own Posts. */
export const UploadToolkit = Toolkit.make(upload, status, associate, cancel, attach, attachments)

/** The arguments of a page to open. */
export const OpenArguments = Schema.Struct({
  target: Schema.Literals(["post", "profile", "docs"]),
  post_id: Schema.optionalKey(PostIdArgument)
})
export type OpenArguments = typeof OpenArguments.Type

const open = strictTool("svc_open_browser", "Open a page", {
  description: "Open a page of the service in the browser of the person at this machine.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  parameters: OpenArguments,
  success: Schema.Struct({ url: Schema.String, opened: Schema.Boolean })
})

/** The tool that shows a person a page. */
export const BrowserToolkit = Toolkit.make(open)
