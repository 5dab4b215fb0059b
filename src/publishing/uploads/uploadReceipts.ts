import { Effect, Option } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { now } from "../../platform/time/now.ts"
import { SavedReferences } from "../posts/SavedReferences.ts"
import { RECEIVING_RETRY_SECONDS } from "./operation/deadlines.ts"
import { awaitsBytes, isHidden, isUnfinished } from "./operation/operation.ts"
import { ownUploadStatements, type UploadRow } from "./operation/ownUploads.sql.ts"

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
  {
    references,
    replayed,
    urlOf
  }: {
    readonly references: ReadonlySet<string>
    readonly replayed: boolean
    readonly urlOf: OwnMedia["Service"]["urlOf"]
  }
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
    publicUrl: held || isHidden(state) ? null : urlOf(public_url),
    currentRevision: row.revision,
    replayed,
    actions: { status: path, cancel: path, associate: `${path}/associate` },
    ...(row.target_kind === "attachment" ? { attachment: attachmentOf(row) } : {})
  }
}

const noReferences: ReadonlySet<string> = new Set()

/** Reads operations as their owner sees them. */
export const makeReceipts = Effect.gen(function* () {
  const own = yield* ownUploadStatements
  const saved = yield* SavedReferences
  const { urlOf } = yield* OwnMedia

  /** Reads the references of a Post only when they can decide on an image. */
  const referencesFor = Effect.fnUntraced(function* (rows: ReadonlyArray<UploadRow>) {
    const row = rows.find(
      (it) => it.target_kind === "inline" && it.public_url !== null && it.desired && !isHidden(it.state)
    )
    if (row?.revision == null) return noReferences
    return yield* saved.of({ ownerId: row.owner_id, postId: row.target_id, revision: row.revision })
  })

  return {
    find: Effect.fnUntraced(function* (publisher: PublisherAuthority, id: UploadOperationId) {
      const row = yield* own.find(publisher.ownerId, id)
      return Option.isSome(row) ? row.value : yield* new NotFound()
    }),
    /** Returns the receipt of an operation. */
    one: Effect.fnUntraced(function* (row: UploadRow, replayed: boolean = false) {
      return receiptOf(row, yield* now, { references: yield* referencesFor([row]), replayed, urlOf })
    }),
    /** Returns the receipt of an operation that has just begun: no Post refers to its URL. */
    begun: (row: UploadRow) =>
      Effect.map(now, (at) => receiptOf(row, at, { references: noReferences, replayed: false, urlOf })),
    /** Returns the receipts of operations of one target. */
    all: Effect.fnUntraced(function* (rows: ReadonlyArray<UploadRow>) {
      const references = yield* referencesFor(rows)
      const at = yield* now
      return rows.map((row) => receiptOf(row, at, { references, replayed: false, urlOf }))
    })
  }
})
