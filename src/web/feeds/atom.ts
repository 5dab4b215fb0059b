import { secondsOf } from "../../platform/pages/language.ts"
import { wireTime } from "../../platform/time/now.ts"
import { type FeedEntry, type FeedView, urnOf } from "./feedView.ts"
import { element, type XmlElement } from "./xml.ts"

const entryOf = (entry: FeedEntry): XmlElement =>
  element(
    "entry",
    { "xml:lang": entry.language },
    element("id", {}, urnOf(entry.id)),
    element("title", { type: "text" }, entry.title),
    element("link", { rel: "alternate", type: "text/html", href: entry.url, hreflang: entry.language }),
    element("link", { rel: "alternate", type: "text/markdown", href: `${entry.url}.md` }),
    element("published", {}, secondsOf(entry.publishedAt)),
    element("updated", {}, secondsOf(entry.updatedAt)),
    element("author", {}, element("name", {}, entry.author.name), element("uri", {}, entry.author.url)),
    ...entry.categories.map((term) => element("category", { term })),
    entry.summary !== "" && element("summary", { type: "text" }, entry.summary),
    entry.html !== null && element("content", { type: "html" }, entry.html)
  )

/** Returns a feed as Atom (RFC 4287), which requires a date: a feed without entries has that of the request. */
export const atomOf = (feed: FeedView, at: Date): XmlElement =>
  element(
    "feed",
    { xmlns: "http://www.w3.org/2005/Atom" },
    element("id", {}, feed.id),
    element("title", { type: "text" }, feed.title),
    feed.about !== "" && element("subtitle", { type: "text" }, feed.about),
    feed.start !== null &&
      element("link", { rel: "self", type: "application/atom+xml", href: `${feed.start}/atom.xml` }),
    element("link", { rel: "alternate", type: "text/html", href: feed.url }),
    feed.hub !== undefined && element("link", { rel: "hub", href: feed.hub }),
    element("updated", {}, secondsOf(feed.updatedAt ?? wireTime(at))),
    element("generator", {}, "Pennypress"),
    ...feed.entries.map(entryOf)
  )
