import { Effect } from "effect"
import { AttachmentPending } from "../../../schemas/payments/access/errors.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { AccessRow } from "./accessRow.ts"

/** Seconds after which a file that is being screened may be ready. */
const PENDING_RETRY_SECONDS = 10

/** The refusal of a file that is being screened or is held. */
export const pending = () => new AttachmentPending({ retryAfterSeconds: PENDING_RETRY_SECONDS })

/** Refuses to sell a Post, or to redeem a gift of it, for a file that its buyer would not get. */
export const checkFile = Effect.fnUntraced(function* (
  { asked_file }: AccessRow,
  fileId: UploadOperationId | undefined
) {
  if (fileId === undefined) return
  if (asked_file === null) return yield* new NotFound()
  if (asked_file !== "ready") return yield* pending()
})
