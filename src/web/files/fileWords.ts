import type { UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"

/** Returns the state of a ZIP, as its author reads it. */
export const fileWords = ({ safety: { detail, held, state } }: UploadReceipt): string => {
  if (held) return "On hold: our moderators are reviewing it. Buyers can't get it."
  switch (state) {
    case "receiving":
      return "It didn't arrive. Attach it again."
    case "queued":
    case "checking":
      return "Being checked. Buyers get it afterwards."
    case "cleared":
      return "Ready for buyers."
    case "rejected":
    case "failed":
      return detail === null ? "Refused: it isn't safe to open. Buyers can't get it." : `Refused. ${detail}`
    case "cancelled":
      return "Removed."
  }
}
