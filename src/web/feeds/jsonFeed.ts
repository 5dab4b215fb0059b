import { secondsOf } from "../../platform/pages/language.ts"
import { type FeedEntry, type FeedView, urnOf } from "./feedView.ts"

const itemOf = (entry: FeedEntry) => ({
  id: urnOf(entry.id),
  url: entry.url,
  title: entry.title,
  ...(entry.summary === "" ? {} : { summary: entry.summary }),
  ...(entry.html === null ? { content_text: entry.summary } : { content_html: entry.html }),
  ...(entry.image === null ? {} : { image: entry.image }),
  date_published: secondsOf(entry.publishedAt),
  date_modified: secondsOf(entry.updatedAt),
  authors: [{ name: entry.author.name, url: entry.author.url }],
  tags: entry.categories,
  language: entry.language,
  _pennypress: {
    price_raw: entry.priceRaw,
    access_url: entry.accessUrl,
    creation_method: entry.creationMethod,
    author_kind: entry.author.kind
  }
})

/** Returns a feed as JSON Feed 1.1. */
export const jsonFeedOf = (feed: FeedView) => ({
  version: "https://jsonfeed.org/version/1.1",
  title: feed.title,
  ...(feed.about === "" ? {} : { description: feed.about }),
  home_page_url: feed.url,
  ...(feed.start === null ? {} : { feed_url: `${feed.start}/feed.json` }),
  ...(feed.hub === undefined ? {} : { hubs: [{ type: "WebSub", url: feed.hub }] }),
  items: feed.entries.map(itemOf)
})
