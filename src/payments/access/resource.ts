import type { PostId } from "../../../schemas/platform/Ids.ts"

/** Returns the URL at which a file of a Post is downloaded, and the Post paid. */
export const attachmentUrlOf = (baseUrl: string, postId: PostId, id: string): string =>
  `${baseUrl}/api/posts/${postId}/attachments/${id}`

/** Returns the URL at which a Post is read and paid. */
export const accessUrlOf = (baseUrl: string, postId: PostId): string =>
  `${baseUrl}/api/posts/${postId}/access`
