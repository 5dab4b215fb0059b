import type { Page } from "../../platform/pages/layout.ts"

/** Returns the links of a page to its feeds. `start` is their address without their names. */
export const feedLinks = (start: string, title: string): NonNullable<Page["alternates"]> => [
  { type: "application/atom+xml", url: `${start}/atom.xml`, title: `${title} (Atom)` },
  { type: "application/rss+xml", url: `${start}/rss.xml`, title: `${title} (RSS)` },
  { type: "application/feed+json", url: `${start}/feed.json`, title: `${title} (JSON)` }
]
