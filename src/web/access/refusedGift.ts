import type { PostId } from "../../../schemas/platform/Ids.ts"
import { readPath } from "../receipts/receipt.ts"

/** The names of refusals of gifts in addresses. */
const NAMES = {
  AlreadyPurchased: "bought",
  GiftExhausted: "exhausted",
  GiftExpired: "expired",
  GiftRevoked: "revoked",
  PostIsFree: "free",
  PostWithdrawn: "withdrawn"
} as const

const WORDS: ReadonlyMap<string | null, string> = new Map([
  [
    "exhausted",
    "This gift has been used up. If you opened it before, go back to that browser and add it to your account there. Otherwise ask the sender for another one."
  ],
  ["expired", "This gift has expired. Ask the sender for another one."],
  ["revoked", "The sender took this gift back."],
  ["withdrawn", "The author has withdrawn this post. Try again if it comes back."]
])

/** Returns the path of a text whose gift was refused. It opens for a reader who has the text by other means. */
export const refusedGiftPath = (postId: PostId, refusal: keyof typeof NAMES): string =>
  `${readPath(postId)}?gift=${NAMES[refusal]}`

/** Returns the reason for which a gift opens nothing, by its name in the address; undefined without one. */
export const refusedGift = (name: string | null): string | undefined => WORDS.get(name)
