import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublicPost } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"
import type { ProfileWithPosts } from "../../publishing/discovery/Discovery.ts"
import type { DiscussionPart, Shown } from "./Pages.ts"
import type { AuthorView, PostView } from "./parts/views.ts"

// Pages, as kept answers: each has a key, and the tags of what it shows.

const tagsOf = ({ owners, posts }: Shown<unknown>) => [
  ...new Set([...posts.map(tags.post), ...owners.map(tags.profile)])
]

export const postPage = (handle: string, slug: string): PublicRead<Shown<PostView>> => ({
  key: `page post ${handle.toLowerCase()} ${slug}`,
  tags: (shown) => {
    const id = shown.posts[0] as PostId
    return [tags.handles, tags.counts(id), tags.comments(id), ...tagsOf(shown)]
  }
})

export const commentsPage = (
  handle: string,
  slug: string,
  { after, thread }: DiscussionPart
): PublicRead<Shown<unknown>> => ({
  key: `page comments ${handle.toLowerCase()} ${slug} ${JSON.stringify([after, thread])}`,
  tags: (shown) => [
    tags.handles,
    ...shown.posts.flatMap((id) => [tags.counts(id), tags.comments(id)]),
    ...tagsOf(shown)
  ]
})

export const authorPage = (handle: string, after: string | undefined): PublicRead<Shown<AuthorView>> => ({
  key: `page author ${handle.toLowerCase()} ${after ?? ""}`,
  tags: (shown) => [tags.handles, tags.lists, ...shown.owners.map(tags.counts), ...tagsOf(shown)]
})

/** The Post of a page as Markdown. */
export const postTwin = (handle: string, slug: string): PublicRead<PublicPost> => ({
  key: `postPage ${handle.toLowerCase()} ${slug}`,
  tags: ({ author, id }) => [tags.post(id), tags.counts(id), tags.profile(author.id)]
})

/** The author of a page as Markdown. */
export const authorTwin = (handle: string): PublicRead<ProfileWithPosts> => ({
  key: `profilePage ${handle.toLowerCase()}`,
  tags: ({ author }) => [tags.lists, tags.profile(author.id)]
})
