import type { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"

/** Media type of the files of Posts. */
export const ZIP_TYPE = "application/zip"

/** Returns the URL at which a Post is read and paid, or one of its files is downloaded and the Post paid. */
export const resourceUrlOf = (
  baseUrl: string,
  postId: PostId,
  fileId?: UploadOperationId | undefined
): string =>
  fileId === undefined
    ? `${baseUrl}/api/posts/${postId}/access`
    : `${baseUrl}/api/posts/${postId}/attachments/${fileId}`
