import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"
import type { Listed } from "./Lists.ts"
import type { Filters } from "./views.ts"

// Pages with lists, as kept answers. The month's most reacted Posts change when the answer expires.

const showing =
  (...shown: ReadonlyArray<string>) =>
  ({ owners }: Listed<unknown>) => [...shown, ...new Set(owners.map(tags.profile))]

type Read = PublicRead<Listed<unknown>>

export const home: Read = {
  key: "page home",
  tags: showing(tags.lists, tags.labels, tags.categories)
}

export const newest = (after = ""): Read => ({ key: `page newest ${after}`, tags: showing(tags.lists) })

export const agents = (after = ""): Read => ({
  key: `page agents ${after}`,
  tags: showing(tags.lists, tags.labels)
})

export const category = (slug: string, after = ""): Read => ({
  key: `page category ${slug} ${after}`,
  tags: showing(tags.lists, tags.categories)
})

export const search = (filters: Filters, after = ""): Read => ({
  key: `page search ${JSON.stringify(filters)} ${after}`,
  tags: showing(tags.lists, tags.categories, tags.handles)
})

export const categories: Read = { key: "page categories", tags: showing(tags.categories) }

export const leaderboards: Read = {
  key: "page leaderboards",
  onPrimary: true,
  tags: showing(tags.leaderboards)
}

/** A text that changes only with a release. */
export const feeds: Read = { key: "page feeds", tags: showing() }
