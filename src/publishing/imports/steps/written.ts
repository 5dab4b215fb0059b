import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { makeFingerprintOf } from "../../../platform/idempotency/fingerprint.ts"
import type { PostContent } from "../../posts/content.ts"
import type { PostRow } from "../../posts/postRow.ts"
import type { ImportRow } from "../rows/importRow.ts"
import type { WholeItemRow } from "../rows/itemRow.ts"
import { type SourceRow, sourceStatements } from "../rows/sources.sql.ts"

/**
 * Makes the function that returns the hash of the members of a Post that imports write. The others belong to the author:
 * categories, the price and the declaration, which an import fills and never changes.
 */
const makeWrittenHash = Effect.map(
  makeFingerprintOf,
  (fingerprintOf) =>
    (content: PostContent): Effect.Effect<string> =>
      Effect.map(
        fingerprintOf([
          content.title,
          content.description,
          content.free_content_markdown,
          content.paid_content_markdown,
          content.canonical_url,
          content.language,
          content.comments_enabled,
          content.og_title,
          content.og_description,
          content.og_image
        ]),
        Hex.encode
      )
)

/** Makes the function that returns true for a Post whose members still have the values that an import wrote. */
export const makeIsAsWritten = Effect.map(
  makeWrittenHash,
  (writtenHash) =>
    (source: SourceRow, post: PostRow): Effect.Effect<boolean> =>
      post.updated_at === source.revision
        ? Effect.succeed(true)
        : Effect.map(writtenHash(post), (hash) => hash === source.written_sha256)
)

/** Makes the function that saves what a Post was made of, and its members as the import has written them. */
export const makeSaveSource = Effect.gen(function* () {
  const sources = yield* sourceStatements
  const writtenHash = yield* makeWrittenHash

  return Effect.fnUntraced(function* (row: ImportRow, item: WholeItemRow, post: PostRow) {
    yield* sources.save({
      owner: row.owner_id,
      sourceKey: item.source_key,
      postId: post.id,
      revision: post.updated_at,
      sha256: item.sha256,
      writtenSha256: yield* writtenHash(post)
    })
  })
})
