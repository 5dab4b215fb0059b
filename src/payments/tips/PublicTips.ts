import { Context, Effect, Layer } from "effect"
import {
  type CommentSupporter,
  type TipActivity,
  TIPS_MAX
} from "../../../schemas/payments/tips/TipActivity.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import type { NamedTipTarget } from "./namedTipTarget.ts"
import { type SupporterRow, tipStatements } from "./tips.sql.ts"
import { TipTargets } from "./TipTargets.ts"

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
>()("pennypress/payments/tips/PublicTips") {
  static readonly layer = Layer.effect(
    PublicTips,
    Effect.gen(function* () {
      const tips = yield* tipStatements
      const targets = yield* TipTargets
      const media = yield* OwnMedia

      /** Returns the Post of a target that readers see. */
      const visiblePost = Effect.fnUntraced(function* (named: NamedTipTarget) {
        const { isVisible, postId } = yield* targets.locate(named)
        return isVisible ? postId : yield* new NotFound()
      })

      return PublicTips.of({
        activities: Effect.fn("PublicTips.activities")(function* (post) {
          yield* visiblePost({ kind: "post", postId: post })
          return (yield* tips.activities(post, TIPS_MAX)).map((row) => ({
            id: row.id,
            createdAt: row.created_at,
            amountReceivedRaw: row.amount_raw,
            commentId: row.comment_id,
            supporter: supporterOf(row, media)
          }))
        }),
        supporters: Effect.fn("PublicTips.supporters")(function* (post, comment) {
          const shownOn = yield* visiblePost({ kind: "comment", commentId: comment })
          if (shownOn !== post) return yield* new NotFound()
          return (yield* tips.supporters(comment, TIPS_MAX)).map((row) => ({
            supporter: supporterOf(row, media),
            tipAmountRaw: row.amount_raw
          }))
        })
      })
    })
  )
}

const supporterOf = (
  { author_kind, avatar_url, handle, name, supporter_id }: SupporterRow,
  { urlOf }: OwnMedia["Service"]
): TipActivity["supporter"] =>
  supporter_id === null || name === null || handle === null || author_kind === null
    ? null
    : { id: supporter_id, name, handle, avatarUrl: urlOf(avatar_url), authorKind: author_kind }
