import { Effect, Option } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { now } from "../../platform/time/now.ts"
import { SavedReferences } from "../posts/SavedReferences.ts"
import { isHidden } from "./operation/operation.ts"
import { ownUploadStatements, type UploadRow } from "./operation/ownUploads.sql.ts"
import { receiptOf } from "./uploadReceipt.ts"

const noReferences: ReadonlySet<string> = new Set()

/** Reads operations as their owner sees them. */
export const makeReceipts = Effect.gen(function* () {
  const own = yield* ownUploadStatements
  const saved = yield* SavedReferences

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
      return receiptOf(row, yield* now, { references: yield* referencesFor([row]), replayed })
    }),
    /** Returns the receipt of an operation that has just begun: no Post refers to its URL. */
    begun: (row: UploadRow) =>
      Effect.map(now, (at) => receiptOf(row, at, { references: noReferences, replayed: false })),
    /** Returns the receipts of operations of one target. */
    all: Effect.fnUntraced(function* (rows: ReadonlyArray<UploadRow>) {
      const references = yield* referencesFor(rows)
      const at = yield* now
      return rows.map((row) => receiptOf(row, at, { references, replayed: false }))
    })
  }
})
