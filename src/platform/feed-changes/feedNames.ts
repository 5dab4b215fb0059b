/** Names of the formats of a feed. They follow the path of the page that the feed belongs to. */
export const FEED_NAMES = { atom: "atom.xml", rss: "rss.xml", json: "feed.json" } as const
