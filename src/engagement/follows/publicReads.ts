import {
  type FollowPage,
  type FollowPaging,
  FOLLOWS_PER_PAGE_DEFAULT
} from "../../../schemas/engagement/follows/Follow.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

// Each follow drops the kept answers about its two owners. The counters also drop them, for follows that are deleted
// with an owner.
const about = (owner: OwnerId) => [tags.profile(owner), tags.follows(owner), tags.counts(owner)]

const list =
  (name: string) =>
  (
    owner: OwnerId,
    { page = 1, per_page = FOLLOWS_PER_PAGE_DEFAULT }: FollowPaging
  ): PublicRead<FollowPage> => ({
    key: `${name} ${owner} ${page} ${per_page}`,
    // An account that is no longer restricted returns to the list, but is not in the kept one.
    tags: ({ data }) => [...about(owner), tags.labels, ...data.map(({ id }) => tags.profile(id))]
  })

export const followers = list("followers")
export const following = list("following")

export const counts = (owner: OwnerId): PublicRead<unknown> => ({
  key: `followCounts ${owner}`,
  tags: () => about(owner)
})
