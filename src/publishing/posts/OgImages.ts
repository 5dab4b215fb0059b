import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { nextRevision } from "./nextRevision.ts"

/** A new OG image for a Post. */
export interface OgImage {
  readonly postId: PostId
  /** The URL to save as `ogImage`. */
  readonly url: string
  /** The `ogImage` that the new one may replace; absent replaces any. */
  readonly replaces?: string | null
  readonly at: Date
}

/** The OG images that uploads place on Posts. */
export class OgImages extends Context.Service<
  OgImages,
  {
    /**
     * Saves an image as the `ogImage` of its Post and gives the Post a new revision. Returns true when the Post shows
     * the image afterwards, also when it did before. Returns false without a change when the Post does not exist, or
     * shows another image than `replaces`. Runs inside the transaction of the caller.
     */
    readonly set: (image: OgImage) => Effect.Effect<boolean>
  }
>()("pennypress/publishing/posts/OgImages") {
  static readonly layer = Layer.effect(
    OgImages,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { changed } = statements(sql, "OgImages")

      return OgImages.of({
        set: ({ at, postId, replaces, url }) => {
          const allowed =
            replaces === undefined
              ? sql`true`
              : sql`(p.og_image is not distinct from ${replaces}::text or p.og_image = ${url})`
          return changed("set")`
            update posts p set og_image = ${url},
              updated_at = case when p.og_image = ${url} then p.updated_at else ${nextRevision(sql, at)} end
            where p.id = ${postId} and ${allowed}`
        }
      })
    })
  )
}
