import { Context, Effect, Layer, Option } from "effect"
import { type CommentSupporter, type TipActivity, TIPS_MAX } from "../../../schemas/engagement/tips/Tip.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { Tips } from "../../platform/tips/Tips.ts"
import { Comments } from "../comments/Comments.ts"
import { makeIsPublicPost } from "./publicPost.sql.ts"

/** Public reads of tips (spec 4.5). */
export class PublicTips extends Context.Service<
  PublicTips,
  {
    /** Returns the newest tips for a Post and its Comments. Fails for a Post that is missing or withdrawn. */
    readonly activities: (post: PostId) => Effect.Effect<ReadonlyArray<TipActivity>, NotFound>
    /** Returns the direct supporters of a Comment on this Post that is visible and not deleted. */
    readonly supporters: (
      post: PostId,
      comment: CommentId
    ) => Effect.Effect<ReadonlyArray<CommentSupporter>, NotFound>
  }
>()("pennypress/engagement/tips/PublicTips") {
  static readonly layer = Layer.effect(
    PublicTips,
    Effect.gen(function* () {
      const tips = yield* Tips
      const comments = yield* Comments
      const isPublicPost = yield* makeIsPublicPost

      return PublicTips.of({
        activities: Effect.fn("PublicTips.activities")(function* (post) {
          if (!(yield* isPublicPost(post))) return yield* new NotFound()
          return yield* tips.activities(post, TIPS_MAX)
        }),
        supporters: Effect.fn("PublicTips.supporters")(function* (post, comment) {
          const found = yield* comments.visible(comment)
          if (Option.isNone(found) || found.value.isDeleted || found.value.postId !== post)
            return yield* new NotFound()
          return yield* tips.supporters(comment, TIPS_MAX)
        })
      })
    })
  )
}
