import type { Comment } from "../../../schemas/engagement/comments/Comment.ts"
import {
  COMMENT_PAGE_DEFAULT,
  type CommentPage,
  type CommentsQuery
} from "../../../schemas/engagement/comments/page.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

// The public reads of discussions, as kept answers.

const tagsOf = (id: PostId, comments: ReadonlyArray<Comment>) => [
  tags.post(id),
  tags.comments(id),
  ...new Set(comments.map(({ author }) => tags.profile(author.id)))
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
