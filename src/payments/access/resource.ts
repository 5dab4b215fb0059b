import type { PostId } from "../../../schemas/platform/Ids.ts"

/** Returns the URL at which a Post is read and paid. */
export const accessUrlOf = (baseUrl: string, postId: PostId): string =>
  `${baseUrl}/api/posts/${postId}/access`
