import type { SectionFacts } from "../../conversion/urls.ts"
import type { ItemImage } from "../../ImportedItem.ts"
import { pictureSource } from "./pictures.ts"
import type { ItemContext, SourcePost } from "./SourcePost.ts"

/** Returns the facts about a section of Markdown, which are found once. */
export type FactsOf = (markdown: string) => SectionFacts

/** The name of a picture in a file of our own form. */
const EXPORTED_PICTURE = /^\/media\/[0-9a-f]{16}\.[a-z]+$/
/** Such names in a document in JSON. */
const EXPORTED_PICTURES = /(?<=")\/media\/[0-9a-f]{16}\.[a-z]+(?=")/g

/** Pictures in the text of an item, at most. */
const PICTURES_MAX = 500

/**
 * Returns the pictures in the texts of an item, each source once, with the addresses of all, and those of repeats by the address
 * that they get; null for one beyond the limit.
 */
export const imagesOf = (
  post: SourcePost,
  context: ItemContext,
  markdown: ReadonlyArray<string>,
  factsOf: FactsOf
): {
  images: ReadonlyArray<ItemImage>
  urls: ReadonlySet<string>
  repeats: ReadonlyMap<string, string | null>
} => {
  const { entries, site } = context
  const { pictures, sourcePath } = post
  const images: Array<ItemImage> = []
  const urls = new Set<string>()
  const bySource = new Map<string, string>()
  const repeats = new Map<string, string | null>()
  for (const [index, section] of markdown.entries()) {
    for (const { alt, url } of factsOf(section).images) {
      // Our own form names what it has; any other picture stays where it is.
      if (urls.has(url) || (post.isExact === true && !EXPORTED_PICTURE.test(url))) continue
      urls.add(url)
      const from = pictureSource(url, { pictures, entries, sourcePath, site })
      // Our own texts stay byte for byte.
      const first = post.isExact === true ? undefined : bySource.get(JSON.stringify(from))
      if (first !== undefined) repeats.set(url, first)
      else if (images.length >= PICTURES_MAX) {
        repeats.set(url, null)
        post.report.add("image_dropped", index === 0 ? "free" : "paid", url)
      } else {
        bySource.set(JSON.stringify(from), url)
        images.push({ url, alt: alt.slice(0, 1000).toWellFormed(), from, place: "text" })
      }
    }
  }
  for (const json of [post.native?.free, post.native?.paid]) {
    for (const [url] of (json ?? "").matchAll(EXPORTED_PICTURES)) {
      if (urls.has(url) || images.length >= PICTURES_MAX) continue
      urls.add(url)
      images.push({
        url,
        alt: "",
        from: pictureSource(url, { pictures, entries, sourcePath, site }),
        place: "text"
      })
    }
  }
  return { images, urls, repeats }
}

const sameSource = (a: ItemImage["from"], b: ItemImage["from"]) => JSON.stringify(a) === JSON.stringify(b)

/** Returns the cover, unless the free text begins with the same picture, which then stays the only one. */
export const coverOf = (
  post: SourcePost,
  context: ItemContext,
  free: string,
  images: ReadonlyArray<ItemImage>
): ReadonlyArray<ItemImage> => {
  if (post.cover === "") return []
  const embedded = /^data:/i.test(post.cover) ? post.pictures.add(post.cover) : post.cover
  if (embedded === undefined || embedded.length > 4096) return []
  const from = pictureSource(embedded, {
    pictures: post.pictures,
    entries: context.entries,
    sourcePath: post.sourcePath,
    site: context.site
  })
  const first = images[0]
  const begins = first !== undefined && sameSource(first.from, from) && /^!?\[?!?\[/.test(free)
  if (begins && post.isExact !== true) {
    post.report.add("heading_removed", "meta", embedded)
    return []
  }
  return [{ url: embedded, alt: "", from, place: "cover" }]
}
