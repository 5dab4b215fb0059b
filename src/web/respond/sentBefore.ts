import { Effect } from "effect"
import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { sentCommentStatements } from "../../engagement/comments/sentComments.sql.ts"
import { later, MINUTE_MILLIS, now } from "../../platform/time/now.ts"
import { keyOfText } from "./keyOfText.ts"

/** Time in which the same text from a page without a key is the same press. */
const SAME_MILLIS = MINUTE_MILLIS

/** A comment that was sent from a page without a key. */
interface Keyless {
  readonly postId: PostId
  /** The Comment that it answers; null for none. */
  readonly to: CommentId | null
  readonly text: string
}

/** Makes the function that finds the same comment of the last minute; null for none. `key` is then that of a new one. */
export const makeSentBefore = Effect.map(sentCommentStatements, ({ find }) =>
  Effect.fn("SentBefore.find")(function* ({ ownerId }: OwnerAuthority, { postId, text, to }: Keyless) {
    const found = yield* find(ownerId, { postId, to, content: text }, later(yield* now, -SAME_MILLIS))
    return { id: found.same_id, key: keyOfText({ postId, to, text, last: found.last_id }) }
  })
)
