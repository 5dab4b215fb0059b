import type { UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"

/** Returns the state of a ZIP, as its author reads it. */
export const fileWords = ({ safety: { detail, held, state } }: UploadReceipt): string => {
  if (held) return "On hold: our moderators are looking at it. Buyers don't get it."
  switch (state) {
    case "receiving":
      return "It has not arrived. Attach it again."
    case "queued":
    case "checking":
      return "Being checked. Buyers get it afterwards."
    case "cleared":
      return "Ready for buyers."
    case "rejected":
    case "failed":
      return detail === null ? "Refused: it is not safe to open. Buyers don't get it." : `Refused. ${detail}`
    case "cancelled":
      return "Removed."
  }
}
