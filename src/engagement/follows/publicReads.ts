import {
  type FollowPage,
  type FollowPaging,
  FOLLOWS_PER_PAGE_DEFAULT
} from "../../../schemas/engagement/follows/Follow.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"

/** Tags answers that show the followers of this owner, or the owners whom they follow. */
export const followsTag = (id: OwnerId) => `follows:${id}`

// Each follow drops the kept answers about its two owners. The counters also drop them, for follows that are deleted
// with an owner.
const about = (owner: OwnerId) => [ownerTags.profile(owner), followsTag(owner), ownerTags.counts(owner)]

const list =
  (name: string) =>
  (
    owner: OwnerId,
    { page = 1, per_page = FOLLOWS_PER_PAGE_DEFAULT }: FollowPaging
  ): PublicRead<FollowPage> => ({
    key: `${name} ${owner} ${page} ${per_page}`,
    // An account that is no longer restricted returns to the list, but is not in the kept one.
    tags: ({ data }) => [...about(owner), ownerTags.labels, ...data.map(({ id }) => ownerTags.profile(id))]
  })

export const followers = list("followers")
export const following = list("following")

export const counts = (owner: OwnerId): PublicRead<unknown> => ({
  key: `followCounts ${owner}`,
  tags: () => about(owner)
})
