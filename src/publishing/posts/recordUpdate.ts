import { Effect, Option } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { Events } from "../../platform/events/Events.ts"
import { postStatements } from "./posts.sql.ts"

/**
 * Makes the function that records the change of members of a Post, if the Post is public, for a change that is no edit of its
 * author. Call it in the transaction of the change.
 */
export const makeRecordUpdate = Effect.gen(function* () {
  const posts = yield* postStatements
  const events = yield* Events

  return Effect.fnUntraced(function* (id: PostId, changed: ReadonlyArray<string>, at: Date) {
    const post = yield* posts.public(id)
    if (Option.isNone(post)) return
    yield* events.record({
      ownerId: post.value.owner_id,
      type: "post.updated",
      subjectId: id,
      data: { changed },
      at
    })
  })
})
