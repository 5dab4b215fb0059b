import type { UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"
import { RECEIVING_RETRY_SECONDS } from "./operation/deadlines.ts"
import { awaitsBytes, isHidden, isUnfinished } from "./operation/operation.ts"
import type { UploadRow } from "./operation/ownUploads.sql.ts"

/** Maximum number of seconds to wait before asking again, so that an early end is seen. */
const RETRY_AFTER_SECONDS_MAX = 60

const retryAfterSeconds = ({ due_at, next_task, state }: UploadRow, at: Date) => {
  if (!isUnfinished(state) || next_task === "expire") return 0
  // The end of a lease says nothing of how long the screening takes.
  if (state === "checking") return 1
  const max = state === "receiving" ? RECEIVING_RETRY_SECONDS : RETRY_AFTER_SECONDS_MAX
  return Math.min(Math.max(Math.ceil((due_at.getTime() - at.getTime()) / 1000), 1), max)
}

const attachmentOf = ({ file_bytes, file_name, file_state, id }: UploadRow) =>
  file_bytes === null || file_name === null || file_state === null
    ? null
    : { id, fileName: file_name, byteSize: file_bytes, state: file_state }

/**
 * Returns the receipt of an operation at a moment (spec 2.8). `references` are the URLs that the sections of its Post
 * refer to. An inline image is associated when they include its own.
 */
export const receiptOf = (
  row: UploadRow,
  at: Date,
  { references, replayed }: { readonly references: ReadonlySet<string>; readonly replayed: boolean }
): UploadReceipt => {
  const { desired, generation, held, id, public_url, received, state } = row
  const currentGeneration = row.current_generation
  const isReferenced = row.in_place || (public_url !== null && references.has(public_url))
  const path = `/api/v1/upload-operations/${id}`
  return {
    safety: {
      operationId: id,
      targetKind: row.target_kind,
      targetId: row.target_id,
      targetKey: row.target_key,
      generation,
      currentGeneration,
      associated: isReferenced && desired && !isHidden(state),
      desired,
      held,
      received,
      eligible: received && state === "cleared" && desired && !held && generation === currentGeneration,
      state,
      policyVersion: row.policy_version,
      lastError: row.last_error,
      detail: row.detail,
      retryAfterSeconds: retryAfterSeconds(row, at),
      reuploadAllowed: !received && awaitsBytes(row, at)
    },
    publicUrl: held || isHidden(state) ? null : public_url,
    currentRevision: row.revision,
    replayed,
    actions: { status: path, cancel: path, associate: `${path}/associate` },
    ...(row.target_kind === "attachment" ? { attachment: attachmentOf(row) } : {})
  }
}
