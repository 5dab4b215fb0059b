import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { GiftEnd } from "./giftEnd.ts"

/** Returns the path of the page on which an author gives a Post. */
export const givePath = (postId: PostId, done: GiftEnd | null = null): string =>
  done === null ? `/give/${postId}` : `/give/${postId}?done=${done}`
