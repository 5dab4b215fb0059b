import type { UploadReceipt, UploadState } from "../../../schemas/publishing/uploads/Upload.ts"
import type { UploadRow } from "./operation.ts"

/** States that end by themselves. */
const unfinished: ReadonlySet<UploadState> = new Set(["receiving", "queued", "checking"])
/** States whose public copy nobody may be shown. */
const withdrawn: ReadonlySet<UploadState> = new Set(["rejected", "failed", "cancelled"])

/** Whether something will still happen to the operation by itself. */
export const isUnfinished = (state: UploadState) => unfinished.has(state)

/** How long to wait before asking again at most, so that what ends early is seen. */
const RETRY_AFTER_SECONDS_MAX = 60

const retryAfterSeconds = ({ due_at, owed, state }: UploadRow, at: Date) => {
  if (!isUnfinished(state) || owed === "expiry") return 0
  const seconds = Math.ceil((due_at.getTime() - at.getTime()) / 1000)
  // The end of a lease says nothing of how long the work takes.
  return state === "checking" ? 1 : Math.min(Math.max(seconds, 1), RETRY_AFTER_SECONDS_MAX)
}

/** Whether nobody is receiving its bytes, and they are still wanted. */
const isReuploadAllowed = ({ desired, due_at, owed, received, state }: UploadRow, at: Date) =>
  state === "receiving" && !received && desired && (owed === "expiry" || due_at <= at)

/** The receipt of an operation at a moment (specification 2.8). */
export const receiptOf = (row: UploadRow, at: Date, replayed: boolean): UploadReceipt => {
  const { desired, generation, held, id, received, state } = row
  const currentGeneration = row.current_generation
  const path = `/api/v1/upload-operations/${id}`
  return {
    safety: {
      operationId: id,
      targetKind: row.target_kind,
      targetId: row.target_id,
      targetKey: row.target_key,
      generation,
      currentGeneration,
      associated: row.associated,
      desired,
      held,
      received,
      eligible: received && state === "cleared" && desired && !held && generation === currentGeneration,
      state,
      policyVersion: row.policy_version,
      lastError: row.last_error,
      retryAfterSeconds: retryAfterSeconds(row, at),
      reuploadAllowed: isReuploadAllowed(row, at)
    },
    publicUrl: held || withdrawn.has(state) ? null : row.public_url,
    currentRevision: row.revision,
    replayed,
    actions: { status: path, cancel: path, associate: `${path}/associate` }
  }
}
