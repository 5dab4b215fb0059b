/** Names of a feed's formats, behind the path of what it is of. */
export const FEED_NAMES = { atom: "atom.xml", rss: "rss.xml", json: "feed.json" } as const
