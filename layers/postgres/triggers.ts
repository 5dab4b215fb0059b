import { commentTriggers } from "../../src/engagement/comments/comments.trigger.sql.ts"
import { followTriggers } from "../../src/engagement/follows/follows.trigger.sql.ts"
import { reactionTriggers } from "../../src/engagement/reactions/reactions.trigger.sql.ts"
import { textTriggers } from "../../src/publishing/posts/texts/texts.trigger.sql.ts"

/** The statements that create the triggers of each feature, each with `create or replace`. */
export const triggers: ReadonlyArray<ReadonlyArray<string>> = [
  commentTriggers,
  reactionTriggers,
  followTriggers,
  textTriggers
]
