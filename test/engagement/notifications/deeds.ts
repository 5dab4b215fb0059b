import { Effect } from "effect"
import type { Reaction } from "../../../schemas/engagement/reactions/Reaction.ts"
import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Comments } from "../../../src/engagement/comments/Comments.ts"
import { Follows } from "../../../src/engagement/follows/Follows.ts"
import { Reactions } from "../../../src/engagement/reactions/Reactions.ts"
import type { ReactionTarget } from "../../../src/engagement/reactions/ReactionTarget.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"

let keys = 0

/** Inserts the `number`th owner of a test file, who may comment. */
export const personOf = (number: number) => insertOwner(number, { name: "A name", handle: `handle${number}` })

/** Returns the deeds that one owner does to another. */
export const deeds = Effect.gen(function* () {
  const comments = yield* Comments
  const follows = yield* Follows
  const reactions = yield* Reactions
  return {
    follow: (follower: OwnerId, creator: OwnerId, following = true) =>
      follows.save(sessionOf(follower), creator, following),
    /** Comments on a Post, or replies. Returns the id of the Comment. */
    comment: (author: OwnerId, post: PostId, parentCommentId?: CommentId) =>
      Effect.map(
        comments.append(
          sessionOf(author),
          post,
          { content: "Well said", ...(parentCommentId === undefined ? {} : { parentCommentId }) },
          `deed-${keys++}`
        ),
        ({ id }) => id
      ),
    removeComment: (author: OwnerId, comment: CommentId) => comments.remove(sessionOf(author), comment),
    react: (owner: OwnerId, target: ReactionTarget, reaction: Reaction | null) =>
      reactions.set(sessionOf(owner), target, reaction)
  }
})
