import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import type {
  PostSummary,
  PublicProfile,
  Summaries
} from "../../../schemas/publishing/discovery/Discovery.ts"
import {
  PER_PAGE_DEFAULT,
  RELATED_DEFAULT,
  type SummaryQuery
} from "../../../schemas/publishing/discovery/query.ts"
import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { tags } from "../../platform/public-answers/tags.ts"
import { Discovery } from "./Discovery.ts"
import { isCounted } from "./listOrder.ts"
import { givenPost, postTags } from "./postTags.ts"
import { redirectFormerHandle } from "./redirectFormerHandle.ts"

/** Seconds that caches may keep related Posts (spec 8). */
const RELATED_MAX_AGE_SECONDS = 300

const summaryTags = ({ author, id }: PostSummary) => [
  postTags.post(id),
  postTags.counts(id),
  ownerTags.profile(author.id)
]

const listTags = ({ authors = [], data }: Summaries) => [
  postTags.lists,
  ...data.map(({ id }) => postTags.counts(id)),
  ...new Set([...data.map(({ author }) => author), ...authors].map(({ id }) => ownerTags.profile(id)))
]

/** The tags of a list that this query asks for. */
const listTagsOf =
  ({ authorKind, handle, q, sort = "newest" }: SummaryQuery) =>
  (list: Summaries) => [
    ...(handle === undefined && q === undefined ? [] : [ownerTags.handles]),
    ...(isCounted(sort) ? [postTags.ranking] : []),
    ...(authorKind === undefined ? [] : [ownerTags.labels]),
    ...listTags(list)
  ]

const profileTags = ({ id }: PublicProfile) => [ownerTags.profile(id)]

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

/** Public reads. Each answer is kept under a key, with the tags of what it shows. */
export const DiscoveryHttp = HttpApiBuilder.group(
  Api,
  "discovery",
  Effect.fnUntraced(function* (handlers) {
    const discovery = yield* Discovery
    const redirect = yield* redirectFormerHandle()
    const answer = yield* makePublicAnswer

    return handlers.handleAll({
      posts: ({ query, request }) =>
        answer(
          request,
          { key: `posts ${canonical(query)}`, tags: listTagsOf(query) },
          discovery.posts(query)
        ),
      post: ({ params: { postId }, request }) =>
        answer(
          request,
          { key: `post ${postId}`, tags: summaryTags, given: givenPost },
          discovery.post(postId)
        ),
      publicContent: ({ params: { postId }, request }) =>
        answer(
          request,
          {
            key: `publicContent ${postId}`,
            tags: ({ post }) => summaryTags(post),
            given: ({ post }) => givenPost(post)
          },
          discovery.publicContent(postId)
        ),
      // A Post that is published meanwhile joins when the life of the answer ends.
      related: ({ params: { postId }, query, request }) =>
        answer(
          request,
          {
            key: `related ${postId} ${query.limit ?? RELATED_DEFAULT}`,
            tags: ({ data }) => [postTags.post(postId), ...new Set(data.flatMap(summaryTags))],
            maxAgeSeconds: RELATED_MAX_AGE_SECONDS
          },
          discovery.related(postId, query)
        ),
      profile: ({ params: { handle }, request }) =>
        redirect(
          answer(
            request,
            { key: `profile ${handle.toLowerCase()}`, tags: profileTags },
            discovery.profile(handle)
          )
        ),
      profileSummary: ({ params: { handle }, request }) =>
        redirect(
          answer(
            request,
            {
              key: `profileSummary ${handle.toLowerCase()}`,
              tags: (profile) => [ownerTags.counts(profile.id), ...profileTags(profile)]
            },
            discovery.profileSummary(handle)
          )
        ),
      profilePosts: ({ params: { handle }, query, request }) =>
        redirect(
          answer(
            request,
            {
              key: `profilePosts ${handle.toLowerCase()} ${canonical(query)}`,
              tags: listTagsOf({ ...query, handle })
            },
            discovery.profilePosts(handle, query)
          )
        ),
      categories: ({ request }) =>
        answer(request, { key: "categories", tags: () => [postTags.categories] }, discovery.categories),
      categoryCounts: ({ request }) =>
        answer(
          request,
          { key: "categoryCounts", tags: () => [postTags.categories] },
          discovery.categoryCounts
        ),
      // Never kept: the next account may take the handle.
      handleAvailability: ({ query: { handle }, request }) =>
        answer(
          request,
          { key: `handleAvailability ${handle}`, tags: () => [tags.never] },
          discovery.handleAvailability(handle)
        )
    })
  })
)
