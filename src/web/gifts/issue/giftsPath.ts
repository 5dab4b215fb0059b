import { Schema } from "effect"
import type { PostId } from "../../../../schemas/platform/Ids.ts"

/** The end of a gift that the next page reports: no new readers, or no readers at all. */
export const GiftEnd = Schema.Literals(["closed", "ended"])
export type GiftEnd = typeof GiftEnd.Type

/** Returns the path of the page on which an author gives a Post. */
export const giftsPath = (postId: PostId, done: GiftEnd | null = null): string =>
  done === null ? `/give/${postId}` : `/give/${postId}?done=${done}`
