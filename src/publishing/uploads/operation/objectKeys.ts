import type { UploadOperationId, UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import type { FileFormat, ImageFormat } from "../../../../schemas/publishing/uploads/limits.ts"
import { ObjectKey } from "../../../platform/ports/ObjectStorage.ts"

/** File name extension of each format. */
const extensionOf: Readonly<Record<ImageFormat, string>> = {
  png: "png",
  jpeg: "jpg",
  webp: "webp",
  gif: "gif"
}

/** Returns the key of the file that one upload attempt of an operation stages. Readers never see it. */
export const stagingKey = (id: UploadOperationId, uploadAttempt: number): ObjectKey =>
  ObjectKey.make(`staging/${id}.${uploadAttempt}`)

/** Returns the path of the public copy, which is also the key of its object (spec 4.4). Authors read it in their texts. */
export const publicPath = ({ id }: { readonly id: UploadOperationId }, format: ImageFormat): ObjectKey =>
  ObjectKey.make(`media/${id}.${extensionOf[format]}`)

/** Returns the path of a smaller copy, from the path or the URL of the public copy. */
export const variantPath = <Path extends string>(copy: Path, width: number): Path =>
  copy.replace(/\.[a-z]+$/, `-${width}.webp`) as Path

/** Returns the key of the object that stays: the public copy of an image, or the file of buyers. */
export const keptPath = (
  file: { readonly id: UploadOperationId; readonly target_id: UploadTargetId },
  format: FileFormat
): ObjectKey =>
  format === "zip" ? ObjectKey.make(`attachments/${file.target_id}/${file.id}.zip`) : publicPath(file, format)
