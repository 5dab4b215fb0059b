import { Context, Effect } from "effect"
import type { CommentSupporter, TipActivity } from "../../../schemas/engagement/tips/Tip.ts"
import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"

/**
 * Tips as anyone may see them. Payments provide it, and engagement answers with it; without payments there are none. The
 * caller has checked that readers see the target. An implementation leaves restricted accounts out, and appends
 * `post_tips` to `counter_changes` with each tip for a Post: kept answers end with that counter.
 */
export const Tips = Context.Reference<{
  /** Returns the newest tips for a Post and the Comments on it, at most so many. */
  readonly activities: (post: PostId, limit: number) => Effect.Effect<ReadonlyArray<TipActivity>>
  /** Returns the accounts that tipped this very Comment, the largest sum first, at most so many. */
  readonly supporters: (comment: CommentId, limit: number) => Effect.Effect<ReadonlyArray<CommentSupporter>>
}>("pennypress/platform/tips/Tips", {
  defaultValue: () => ({
    activities: () => Effect.succeed([]),
    supporters: () => Effect.succeed([])
  })
})
