import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { makeFingerprintOf } from "../../../platform/idempotency/fingerprint.ts"
import type { PostContent } from "../../posts/content.ts"

/**
 * Makes the function that returns the hash of the members of a Post that imports write. The others belong to the author:
 * categories, the price and the declaration, which an import fills and never changes.
 */
export const makeWrittenHash = Effect.map(
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
