import type { Comment } from "../../../schemas/engagement/comments/Comment.ts"
import {
  COMMENT_PAGE_DEFAULT,
  type CommentPage,
  type CommentsQuery
} from "../../../schemas/engagement/comments/page.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"

// The public reads of discussions, as kept answers.

/** Tags answers that show new Comments of any author on any Post. */
export const newCommentsTag = "newComments"

const tagsOf = (id: PostId, comments: ReadonlyArray<Comment>) => [
  postTags.post(id),
  postTags.discussion(id),
  ...new Set(comments.map(({ author }) => ownerTags.profile(author.id)))
]

export const newest = (id: PostId): PublicRead<ReadonlyArray<Comment>> => ({
  key: `comments ${id}`,
  tags: (comments) => tagsOf(id, comments)
})

export const page = (
  id: PostId,
  { cursor = "", limit = COMMENT_PAGE_DEFAULT, threadRootId }: CommentsQuery
): PublicRead<CommentPage> => ({
  key: `comments ${id} ${limit} ${threadRootId ?? ""} ${cursor}`,
  tags: ({ comments }) => tagsOf(id, comments)
})
