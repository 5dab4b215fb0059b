import type { UploadReceipt } from "../../../../schemas/publishing/uploads/Upload.ts"
import { pictureWords } from "../../pictures/pictureWords.ts"

/** The pictures of a profile. */
export type ProfilePicture = "avatar" | "header"

/** Returns a sentence about the newest upload of a picture, if there is something to say. Receipts are newest first. */
export const stateOfPicture = (
  receipts: ReadonlyArray<UploadReceipt>,
  picture: ProfilePicture
): string | null => {
  const newest = receipts.find(({ safety }) => safety.targetKind === picture)
  if (newest === undefined || !newest.safety.desired) return null
  const isRemoved = newest.safety.state === "cleared" && !newest.safety.associated
  return isRemoved ? null : `Your newest upload: ${pictureWords(newest)}`
}
