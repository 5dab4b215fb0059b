import {
  type FollowPage,
  type FollowPaging,
  FOLLOWS_PER_PAGE_DEFAULT
} from "../../../schemas/engagement/follows/Follow.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

// Each follow ends the answers about its two owners. The counters end them, too, for follows that go with a removed owner.
const about = (owner: OwnerId) => [tags.profile(owner), tags.follows(owner), tags.counts(owner)]

const list =
  (name: string) =>
  (
    owner: OwnerId,
    { page = 1, per_page = FOLLOWS_PER_PAGE_DEFAULT }: FollowPaging
  ): PublicRead<FollowPage> => ({
    key: `${name} ${owner} ${page} ${per_page}`,
    // An account that is restricted no more, and comes back into the list, is not in the kept one.
    tags: ({ data }) => [...about(owner), tags.labels, ...data.map(({ id }) => tags.profile(id))]
  })

export const followers = list("followers")
export const following = list("following")

export const counts = (owner: OwnerId): PublicRead<unknown> => ({
  key: `followCounts ${owner}`,
  tags: () => about(owner)
})
