import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"
import type { FeedFormat, FeedSource, WrittenFeed } from "./Feeds.ts"

// Feeds and sitemaps, as kept answers.

const nameOf = (source: FeedSource) => {
  switch (source.kind) {
    case "site":
      return ""
    case "author":
      return `@${source.handle.toLowerCase()}`
    case "category":
      return source.slug
  }
}

export const feed = (source: FeedSource, format: FeedFormat): PublicRead<WrittenFeed> => ({
  key: `feed ${format} ${source.kind} ${nameOf(source)}`,
  tags: ({ owners, posts }) => [
    postTags.lists,
    ...new Set([...posts.map(postTags.post), ...owners.map(ownerTags.profile)])
  ],
  given: ({ posts }) => ({ posts, by: "feeds", hasWall: false })
})

/** Search engines ask for a sitemap a few times a day; a change of it may wait. */
export const sitemap = (target: string): PublicRead<unknown> => ({ key: `sitemap ${target}`, tags: () => [] })

export const robots: PublicRead<unknown> = { key: "robots", tags: () => [] }
