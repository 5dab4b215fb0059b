import type { UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { ObjectKey } from "../../platform/ports/ObjectStorage.ts"

/** What the names of files of each format end with. */
const extensionOf: Readonly<Record<ImageFormat, string>> = {
  png: "png",
  jpeg: "jpg",
  webp: "webp",
  gif: "gif"
}

/** Where the bytes of one receipt of an operation are kept as they were sent, and served to nobody. */
export const stagingKey = (id: UploadOperationId, receipt: number): ObjectKey =>
  ObjectKey.make(`staging/${id}.${receipt}`)

/** The path of the public copy, which is its object's key too (specification 4.4). */
export const publicPath = (
  image: { readonly id: UploadOperationId; readonly target_id: UploadTargetId },
  format: ImageFormat
): ObjectKey => ObjectKey.make(`media/${image.target_id}/${image.id}.${extensionOf[format]}`)
