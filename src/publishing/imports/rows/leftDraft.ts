import { Effect, Struct } from "effect"
import { Hex } from "effect/encoding"
import { makeFingerprintOf } from "../../../platform/idempotency/fingerprint.ts"
import { isSameMoment } from "../../../platform/time/isSameMoment.ts"
import type { PostRow } from "../../posts/postRow.ts"
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

/** Returns true for a draft that has the files that the import brought, and no other. */
const hasItsFiles = (pictures: WholeItemRow["pictures"], { attachments }: PostRow) => {
  const brought = pictures.filter(({ format }) => format === "zip")
  const ids = new Set<string>(brought.map(({ operationId }) => operationId))
  const here = new Set(attachments.map(({ id }) => id))
  return (
    attachments.every(({ id }) => ids.has(id)) &&
    brought.every(
      ({ code, operationId, state }) => state !== "admitted" || code !== null || here.has(operationId)
    )
  )
}

/**
 * Makes the function that returns true for a draft that no one changed since the import left it. The files that the import
 * brought give the draft new revisions, also after its end, when they are screened.
 */
export const makeIsAsLeft = Effect.map(
  makeDraftHash,
  (draftHash) =>
    ({ draft_sha256, pictures, revision }: LeftDraft & Pick<WholeItemRow, "pictures">, post: PostRow) => {
      if (revision === null) return Effect.succeed(false)
      if (isSameMoment(revision, post.updated_at)) return Effect.succeed(true)
      // Markdown does not tell of every change of a document.
      const isMarkdown = post.free_unsupported.length === 0 && post.paid_unsupported.length === 0
      return isMarkdown && hasItsFiles(pictures, post)
        ? Effect.map(draftHash(post), (hash) => hash === draft_sha256)
        : Effect.succeed(false)
    }
)
