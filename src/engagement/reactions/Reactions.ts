import { Context, Effect, Layer, Option } from "effect"
import { OwnTarget } from "../../../schemas/engagement/reactions/errors.ts"
import type { Reaction } from "../../../schemas/engagement/reactions/Reaction.ts"
import type {
  ReactionResult,
  ReactorQuery,
  Reactors
} from "../../../schemas/engagement/reactions/Reactors.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { COUNTERS } from "../../platform/counters/Counters.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { reactionStatements } from "./reactions.sql.ts"
import type { ReactionTarget } from "./ReactionTarget.ts"
import { reactorsOf } from "./reactors.ts"

/** The opinions of owners about Posts and Comments of others (spec 2.9, 4.5, 4.6). */
export class Reactions extends Context.Service<
  Reactions,
  {
    /**
     * Returns the exact counts of a target and, for a query with a reaction, a page of the owners who have it. `viewer`
     * also sees their own reaction. Fails with `NotFound` for a target that is not public. `postId` is the Post of a
     * Comment, or the target.
     */
    readonly read: (
      target: ReactionTarget,
      viewer: OwnerId | null,
      query: ReactorQuery
    ) => Effect.Effect<{ readonly postId: PostId; readonly reactors: Reactors }, NotFound>
    /** Sets an owner's single reaction to a target; null clears it. A repeat changes nothing. */
    readonly set: (
      owner: OwnerAuthority,
      target: ReactionTarget,
      reaction: Reaction | null
    ) => Effect.Effect<ReactionResult, NotFound | OwnTarget>
  }
>()("pennypress/engagement/reactions/Reactions") {
  static readonly layer = Layer.effect(
    Reactions,
    Effect.gen(function* () {
      const counted = (yield* Doorbells).bell(COUNTERS).ringHere
      const reactions = yield* reactionStatements
      const media = yield* OwnMedia

      const read = Effect.fn("Reactions.read")(function* (
        target: ReactionTarget,
        viewer: OwnerId | null,
        query: ReactorQuery
      ) {
        const rows = yield* reactions.read(target, viewer, query)
        if (Option.isNone(rows)) return yield* new NotFound()
        return { postId: rows.value[0].post_id, reactors: reactorsOf(rows.value, query, media) }
      })

      return Reactions.of({
        read,
        set: Effect.fn("Reactions.set")(function* ({ ownerId }, target, reaction) {
          const found = yield* reactions.write({ target, owner: ownerId, reaction, at: yield* now })
          if (Option.isNone(found)) return yield* new NotFound()
          if (found.value.is_own) return yield* new OwnTarget()
          yield* counted
          // A separate statement sees the changes that the write appended.
          const { reactors } = yield* read(target, ownerId, {})
          return { summary: reactors.summary }
        })
      })
    })
  )
}
