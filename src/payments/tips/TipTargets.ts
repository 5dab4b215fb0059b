import { Context, Effect, Layer, Option } from "effect"
import { OwnTipTarget } from "../../../schemas/payments/sessions/errors.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { NamedTipTarget } from "./namedTipTarget.ts"
import { tipTargetStatements } from "./tipTargets.sql.ts"

/** A target of tips. A Comment names its Post, too. */
export interface TipTarget {
  readonly kind: "tip"
  readonly postId: PostId | null
  readonly commentId: CommentId | null
  readonly recipientId: OwnerId
  /** The title of the Post, or the name of the Profile. */
  readonly title: string
  /** False for a target that readers no longer see. */
  readonly isVisible: boolean
}

/** Finds targets that a payer may tip: Posts, Comments and Profiles that every reader sees, except the payer's own. */
export class TipTargets extends Context.Service<
  TipTargets,
  {
    /** Returns the target, even one that readers no longer see, or that of an earlier payment with this quote. */
    readonly locate: (
      target: NamedTipTarget,
      quoteHash?: Uint8Array | null
    ) => Effect.Effect<TipTarget, NotFound>
    /** Checks that this payer may tip the target now. */
    readonly check: (
      target: TipTarget,
      payer: OwnerId | null
    ) => Effect.Effect<TipTarget, NotFound | OwnTipTarget>
  }
>()("pennypress/payments/tips/TipTargets") {
  static readonly layer = Layer.effect(
    TipTargets,
    Effect.map(tipTargetStatements, (repo) =>
      TipTargets.of({
        locate: Effect.fn("TipTargets.locate")(function* (target, quoteHash = null) {
          const found = yield* repo.find(target, quoteHash)
          if (Option.isNone(found)) return yield* new NotFound()
          const { comment_id, is_visible, post_id, recipient_id, title } = found.value
          return {
            kind: "tip" as const,
            postId: post_id,
            commentId: comment_id,
            recipientId: recipient_id,
            title,
            isVisible: is_visible
          }
        }),
        check: Effect.fn("TipTargets.check")(function* (target, payer) {
          if (!target.isVisible) return yield* new NotFound()
          return target.recipientId === payer ? yield* new OwnTipTarget() : target
        })
      })
    )
  )
}
