import { DateTime } from "effect"
import { type FeedEntry, type FeedView, urnOf } from "./feedView.ts"
import { element, type XmlElement } from "./xml.ts"

/** Minutes for which readers keep a feed. */
const TTL_MINUTES = "15"

/** Returns a moment as RFC 822 writes it. */
const mailDateOf = (moment: string) =>
  DateTime.toDateUtc(DateTime.makeUnsafe(moment)).toUTCString().replace("GMT", "+0000")

const itemOf = (entry: FeedEntry): XmlElement =>
  element(
    "item",
    {},
    element("title", {}, entry.title),
    element("link", {}, entry.url),
    element("guid", { isPermaLink: "false" }, urnOf(entry.id)),
    element("pubDate", {}, mailDateOf(entry.publishedAt)),
    element("dc:creator", {}, entry.author.name),
    element("dc:language", {}, entry.language),
    ...entry.categories.map((name) => element("category", {}, name)),
    element("description", {}, entry.summary),
    entry.html !== null && element("content:encoded", {}, entry.html)
  )

/** Returns a feed as RSS 2.0. */
export const rssOf = (feed: FeedView): XmlElement =>
  element(
    "rss",
    {
      version: "2.0",
      "xmlns:atom": "http://www.w3.org/2005/Atom",
      "xmlns:dc": "http://purl.org/dc/elements/1.1/",
      "xmlns:content": "http://purl.org/rss/1.0/modules/content/"
    },
    element(
      "channel",
      {},
      element("title", {}, feed.title),
      element("link", {}, feed.url),
      element("description", {}, feed.about === "" ? feed.title : feed.about),
      feed.start !== null &&
        element("atom:link", { rel: "self", type: "application/rss+xml", href: `${feed.start}/rss.xml` }),
      feed.hub !== undefined && element("atom:link", { rel: "hub", href: feed.hub }),
      element("generator", {}, "Pennypress"),
      feed.updatedAt !== null && element("lastBuildDate", {}, mailDateOf(feed.updatedAt)),
      element("ttl", {}, TTL_MINUTES),
      ...feed.entries.map(itemOf)
    )
  )
