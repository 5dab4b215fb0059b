import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import { leaderboardsTag } from "../../engagement/leaderboards/Leaderboards.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"
import type { Listed } from "./Lists.ts"
import type { Filters } from "./views.ts"

// Pages with lists, as kept answers. The month's most reacted Posts change when the answer expires.

const showing =
  (...shown: ReadonlyArray<string>) =>
  ({ owners }: Listed<unknown>) => [...shown, ...new Set(owners.map(ownerTags.profile))]

type Read = PublicRead<Listed<unknown>>

export const home: Read = {
  key: "page home",
  tags: showing(postTags.lists, ownerTags.labels, postTags.categories)
}

export const newest = (after = ""): Read => ({ key: `page newest ${after}`, tags: showing(postTags.lists) })

export const agents = (after = ""): Read => ({
  key: `page agents ${after}`,
  tags: showing(postTags.lists, ownerTags.labels)
})

export const category = (slug: string, after = ""): Read => ({
  key: `page category ${slug} ${after}`,
  tags: showing(postTags.lists, postTags.categories)
})

export const search = (filters: Filters, after = ""): Read => ({
  key: `page search ${JSON.stringify(filters)} ${after}`,
  tags: showing(postTags.lists, postTags.categories, ownerTags.handles)
})

export const categories: Read = { key: "page categories", tags: showing(postTags.categories) }

export const leaderboards: Read = {
  key: "page leaderboards",
  tags: showing(leaderboardsTag)
}

/** A text that changes only with a release. */
export const feeds: Read = { key: "page feeds", tags: showing() }
