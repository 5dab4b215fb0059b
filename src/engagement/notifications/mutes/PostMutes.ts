import { Context, Effect, Layer } from "effect"
import type { Mute } from "../../../../schemas/engagement/notifications/Notification.ts"
import { NotFound } from "../../../../schemas/platform/errors/common.ts"
import type { PostId } from "../../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../../schemas/platform/security/authorities.ts"
import { now } from "../../../platform/time/now.ts"
import { muteStatements } from "./mutes.sql.ts"

/**
 * Mutes of Posts. A muted Post causes no `new_comment`, `comment_reply` or `commented_post_activity` for the owner
 * who muted it.
 */
export class PostMutes extends Context.Service<
  PostMutes,
  {
    /** Fails with `NotFound` for a Post that the owner cannot see and has not muted. */
    readonly read: (owner: OwnerAuthority, post: PostId) => Effect.Effect<Mute, NotFound>
    /** Sets the mute to the desired state; a repeat is safe. Fails with `NotFound` as `read` does. */
    readonly save: (owner: OwnerAuthority, post: PostId, mute: Mute) => Effect.Effect<Mute, NotFound>
  }
>()("pennypress/engagement/notifications/mutes/PostMutes") {
  static readonly layer = Layer.effect(
    PostMutes,
    Effect.gen(function* () {
      const mutes = yield* muteStatements

      const read = Effect.fn("PostMutes.read")(function* ({ ownerId }: OwnerAuthority, post: PostId) {
        return yield* Effect.fromOption(yield* mutes.find(ownerId, post)).pipe(
          Effect.mapError(() => new NotFound())
        )
      })

      return PostMutes.of({
        read,
        save: Effect.fn("PostMutes.save")(function* (owner, post, mute) {
          yield* read(owner, post)
          yield* mute.muted ? mutes.add(owner.ownerId, post, yield* now) : mutes.remove(owner.ownerId, post)
          return mute
        })
      })
    })
  )
}
