import type { PostId } from "../../../schemas/platform/Ids.ts"
import type {
  PostSummary,
  PublicContent,
  PublicPost,
  PublicProfile,
  RelatedPosts,
  Summaries
} from "../../../schemas/publishing/discovery/Discovery.ts"
import {
  PER_PAGE_DEFAULT,
  RELATED_DEFAULT,
  type RelatedQuery,
  type SummaryQuery
} from "../../../schemas/publishing/discovery/query.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"
import type { ProfileWithPosts } from "./Discovery.ts"

// The public reads as the store of answers knows them: a key for each, and the tags of what its answer shows.

const postTags = ({ author, id }: PostSummary) => [tags.post(id), tags.counts(id), tags.profile(author.id)]

const listTags = ({ data }: Summaries) => [
  tags.lists,
  ...data.map(({ id }) => tags.counts(id)),
  ...new Set(data.map(({ author }) => tags.profile(author.id)))
]

/** The tags of a list that this query asks for. */
const listTagsOf =
  ({ authorKind, handle, sort = "newest" }: SummaryQuery) =>
  (list: Summaries) => [
    ...(handle === undefined ? [] : [tags.handles]),
    ...(sort === "newest" ? [] : [tags.ranking]),
    ...(authorKind === undefined ? [] : [tags.labels]),
    ...listTags(list)
  ]

const profileTags = ({ id }: PublicProfile) => [tags.profile(id)]

/** Returns the canonical form of a query: its members in one order, with the defaults. */
const canonical = ({
  cursor,
  page,
  per_page = PER_PAGE_DEFAULT,
  sort = "newest",
  ...filter
}: SummaryQuery) => {
  const paging = cursor === undefined ? [page ?? 1] : [page ?? null, cursor]
  const filters = Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([paging, per_page, sort, filters])
}

export const posts = (query: SummaryQuery): PublicRead<Summaries> => ({
  key: `posts ${canonical(query)}`,
  tags: listTagsOf(query)
})

export const profilePosts = (handle: string, query: SummaryQuery): PublicRead<Summaries> => ({
  key: `profilePosts ${handle.toLowerCase()} ${canonical(query)}`,
  tags: listTagsOf({ ...query, handle })
})

export const post = (id: PostId): PublicRead<PublicPost> => ({ key: `post ${id}`, tags: postTags })

export const publicContent = (id: PostId): PublicRead<PublicContent> => ({
  key: `publicContent ${id}`,
  tags: ({ post }) => postTags(post)
})

/** Seconds that caches may keep related Posts (spec 8). */
const RELATED_MAX_AGE_SECONDS = 300

/** A Post that is published meanwhile joins when the life of the answer ends. */
export const related = (id: PostId, { limit = RELATED_DEFAULT }: RelatedQuery): PublicRead<RelatedPosts> => ({
  key: `related ${id} ${limit}`,
  tags: ({ data }) => [tags.post(id), ...new Set(data.flatMap(postTags))],
  maxAgeSeconds: RELATED_MAX_AGE_SECONDS
})

export const profile = (handle: string): PublicRead<PublicProfile> => ({
  key: `profile ${handle.toLowerCase()}`,
  tags: profileTags
})

export const profileSummary = (handle: string): PublicRead<PublicProfile> => ({
  key: `profileSummary ${handle.toLowerCase()}`,
  tags: (profile) => [tags.counts(profile.id), ...profileTags(profile)]
})

export const categories: PublicRead<unknown> = { key: "categories", tags: () => [tags.categories] }

export const categoryCounts: PublicRead<unknown> = { key: "categoryCounts", tags: () => [tags.categories] }

/** Never kept: the next account may take the handle. */
export const handleAvailability = (handle: string): PublicRead<unknown> => ({
  key: `handleAvailability ${handle}`,
  tags: () => [tags.never]
})

export const postPage = (handle: string, slug: string): PublicRead<PublicPost> => ({
  key: `postPage ${handle.toLowerCase()} ${slug}`,
  tags: postTags
})

export const profilePage = (handle: string): PublicRead<ProfileWithPosts> => ({
  key: `profilePage ${handle.toLowerCase()}`,
  tags: ({ author }) => [tags.lists, ...profileTags(author)]
})
