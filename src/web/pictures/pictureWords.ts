import type { UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"

/** Returns the words for a picture that screening decided against. */
const refusedWords = (detail: string | null) =>
  detail === null ? "Refused: it isn't safe to show. Readers can't see it." : `Refused. ${detail}`

/** Returns the state of a picture, as its author reads it. The text of the author may have a refused one. */
export const pictureWords = (
  { publicUrl, safety: { detail, held, state } }: UploadReceipt,
  isInText = false
): string => {
  if (held) return "On hold: our moderators are reviewing it. Readers can't see it."
  switch (state) {
    case "receiving":
      return "It has not arrived."
    case "queued":
    case "checking":
      return publicUrl === null ? "Being prepared." : "Being checked. Readers can already see it."
    case "cleared":
      return "Checked."
    case "rejected":
    case "failed":
      return `${refusedWords(detail)}${isInText ? " Press Remove to take it out of the text." : ""}`
    case "cancelled":
      return "Removed."
  }
}
