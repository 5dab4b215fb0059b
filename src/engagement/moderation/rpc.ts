import { Effect } from "effect"
import { ModerationRpcs } from "../../../schemas/engagement/moderation/rpc.ts"
import { CurrentAdministrator } from "../../../schemas/platform/security/administrator.ts"
import { Moderation } from "./Moderation.ts"
import { Restrictions } from "./Restrictions.ts"

/** Handlers of the procedures for moderators. */
export const ModerationRpc = ModerationRpcs.toLayer(
  Effect.gen(function* () {
    const moderation = yield* Moderation
    const restrictions = yield* Restrictions
    // An administrator may do it to every account.
    const setRestricted = (...asked: Parameters<typeof restrictions.setRestricted>) =>
      Effect.catchTag(restrictions.setRestricted(...asked), "OperatorOnly", Effect.die)

    return ModerationRpcs.of({
      "accounts.restrict": Effect.fnUntraced(function* ({ handle, ...because }) {
        return yield* setRestricted(yield* CurrentAdministrator, { handle }, true, because)
      }),
      "accounts.unrestrict": Effect.fnUntraced(function* ({ handle, ...because }) {
        return yield* setRestricted(yield* CurrentAdministrator, { handle }, false, because)
      }),
      "moderation.posts.withdraw": Effect.fnUntraced(function* ({ postId, ...because }) {
        return yield* moderation.withdrawPost(yield* CurrentAdministrator, postId, because)
      }),
      "moderation.posts.restore": Effect.fnUntraced(function* ({ postId, ...because }) {
        return yield* moderation.restorePost(yield* CurrentAdministrator, postId, because)
      }),
      "moderation.comments.hide": Effect.fnUntraced(function* ({ commentId, ...because }) {
        return yield* moderation.hideComment(yield* CurrentAdministrator, commentId, because)
      }),
      "moderation.comments.restore": Effect.fnUntraced(function* ({ commentId, ...because }) {
        return yield* moderation.restoreComment(yield* CurrentAdministrator, commentId, because)
      }),
      "moderation.audit.list": Effect.fnUntraced(function* (query) {
        return yield* moderation.audit(yield* CurrentAdministrator, query)
      })
    })
  })
)
