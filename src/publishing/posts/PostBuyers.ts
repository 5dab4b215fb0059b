import { Context, Effect } from "effect"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"

/** Finds the owners who have bought a Post. Payments provide it; without payments a Post has no buyers. */
export const PostBuyers = Context.Reference<{
  /** Returns the owners among these who have bought the Post. */
  readonly among: (post: PostId, owners: ReadonlyArray<OwnerId>) => Effect.Effect<ReadonlySet<OwnerId>>
}>("pennypress/publishing/posts/PostBuyers", {
  defaultValue: () => ({ among: () => Effect.succeed(new Set()) })
})
