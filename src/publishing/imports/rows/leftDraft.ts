import { Effect, Struct } from "effect"
import { Hex } from "effect/encoding"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { makeFingerprintOf } from "../../../platform/idempotency/fingerprint.ts"
import { isSameMoment } from "../../../platform/time/isSameMoment.ts"
import type { PostRow } from "../../posts/postRow.ts"
import { Uploads } from "../../uploads/Uploads.ts"
import type { LeftDraft, WholeItemRow } from "./itemRow.ts"

/** Members of a draft that change without its author, and its files, which are compared by their ids. */
const OTHERS = [
  "id",
  "status",
  "was_public",
  "created_at",
  "updated_at",
  "published_at",
  "attachments",
  "name",
  "handle",
  "payout_address",
  "awaits_images"
] as const satisfies ReadonlyArray<keyof PostRow>

const makeDraftHash = Effect.map(
  makeFingerprintOf,
  (fingerprintOf) => (post: PostRow) => Effect.map(fingerprintOf(Struct.omit(post, OTHERS)), Hex.encode)
)

/** Makes the function that returns a draft as the import leaves it now. */
export const makeLeftDraft = Effect.map(
  makeDraftHash,
  (draftHash) =>
    (post: PostRow): Effect.Effect<LeftDraft> =>
      Effect.map(draftHash(post), (draft_sha256) => ({ revision: post.updated_at, draft_sha256 }))
)

/** Makes the function that returns true for a draft that has the files that the import brought, and no other. */
const makeHasItsFiles = Effect.map(Uploads, (uploads) =>
  Effect.fnUntraced(function* (
    ownerId: OwnerId,
    pictures: WholeItemRow["pictures"],
    { attachments, id: postId }: PostRow
  ) {
    const brought = pictures.filter(({ format }) => format === "zip")
    const ids = new Set<string>(brought.map(({ operationId }) => operationId))
    if (!attachments.every(({ id }) => ids.has(id))) return false
    const here = new Set<string>(attachments.map(({ id }) => id))
    const missing = brought.filter(
      ({ code, operationId, state }) => state === "admitted" && code === null && !here.has(operationId)
    )
    if (missing.length === 0) return true
    // Their screening took those off that it rejected, and not the author.
    const receipts = yield* Effect.orElseSucceed(uploads.attachments({ ownerId }, postId), () => [])
    const rejected = new Set<string>(
      receipts.flatMap(({ safety: { operationId, state } }) =>
        state === "rejected" || state === "failed" ? operationId : []
      )
    )
    return missing.every(({ operationId }) => rejected.has(operationId))
  })
)

/**
 * Makes the function that returns true for a draft that no one changed since the import left it. The files that the import
 * brought give the draft new revisions, also after its end, when they are screened.
 */
export const makeIsAsLeft = Effect.gen(function* () {
  const draftHash = yield* makeDraftHash
  const hasItsFiles = yield* makeHasItsFiles

  return Effect.fnUntraced(function* (
    ownerId: OwnerId,
    { draft_sha256, pictures, revision }: LeftDraft & Pick<WholeItemRow, "pictures">,
    post: PostRow
  ) {
    if (revision === null) return false
    if (isSameMoment(revision, post.updated_at)) return true
    // Markdown does not tell of every change of a document.
    const isMarkdown = post.free_unsupported.length === 0 && post.paid_unsupported.length === 0
    if (!isMarkdown || !(yield* hasItsFiles(ownerId, pictures, post))) return false
    return (yield* draftHash(post)) === draft_sha256
  })
})
