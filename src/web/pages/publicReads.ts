import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublicPost } from "../../../schemas/publishing/discovery/Discovery.ts"
import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import type { ProfileWithPosts } from "../../publishing/discovery/Discovery.ts"
import { givenPost, postTags } from "../../publishing/discovery/postTags.ts"
import type { AuthorPart, DiscussionPart, Shown } from "./Pages.ts"
import type { AuthorView, PostView } from "./parts/views.ts"

// Pages, as kept answers: each has a key, and the tags of what it shows.

const tagsOf = ({ owners, posts }: Shown<unknown>) => [
  ...new Set([...posts.map(postTags.post), ...owners.map(ownerTags.profile)])
]

export const postPage = (handle: string, slug: string): PublicRead<Shown<PostView>> => ({
  key: `page post ${handle.toLowerCase()} ${slug}`,
  tags: (shown) => {
    const id = shown.posts[0] as PostId
    return [ownerTags.handles, postTags.counts(id), postTags.discussion(id), ...tagsOf(shown)]
  },
  given: ({ posts, view: { priceXno } }) => ({ posts: posts.slice(0, 1), hasWall: priceXno !== null })
})

export const commentsPage = (
  handle: string,
  slug: string,
  { after, thread }: DiscussionPart
): PublicRead<Shown<unknown>> => ({
  key: `page comments ${handle.toLowerCase()} ${slug} ${JSON.stringify([after, thread])}`,
  tags: (shown) => [
    ownerTags.handles,
    ...shown.posts.flatMap((id) => [postTags.counts(id), postTags.discussion(id)]),
    ...tagsOf(shown)
  ]
})

export const authorPage = (
  handle: string,
  { after, q, year }: AuthorPart
): PublicRead<Shown<AuthorView>> => ({
  key: `page author ${handle.toLowerCase()} ${JSON.stringify([after, q, year])}`,
  tags: (shown) => [
    ownerTags.handles,
    postTags.lists,
    ...shown.owners.map(ownerTags.counts),
    ...tagsOf(shown)
  ]
})

/** The Post of a page as Markdown. */
export const postTwin = (handle: string, slug: string): PublicRead<PublicPost> => ({
  key: `postPage ${handle.toLowerCase()} ${slug}`,
  tags: ({ author, id }) => [postTags.post(id), postTags.counts(id), ownerTags.profile(author.id)],
  given: (post) => ({ ...givenPost(post), by: "agents" })
})

/** The author of a page as Markdown. */
export const authorTwin = (handle: string): PublicRead<ProfileWithPosts> => ({
  key: `profilePage ${handle.toLowerCase()}`,
  tags: ({ author }) => [postTags.lists, ownerTags.profile(author.id)]
})
