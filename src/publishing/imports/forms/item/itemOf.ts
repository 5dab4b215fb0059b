import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { hasHttpUrlForm } from "../../../../../schemas/platform/httpUrl.ts"
import type { CreationMethod } from "../../../../../schemas/publishing/posts/creation.ts"
import type { EmbeddedPictures } from "../../conversion/html/walk.ts"
import { paragraph, textNode, type Nodes, wordsOf } from "../../conversion/nodes.ts"
import type { Report } from "../../conversion/report.ts"
import { type MadeSection, sectionOf } from "../../conversion/section.ts"
import { makeSectionFacts, type SectionFacts } from "../../conversion/urls.ts"
import { withoutRepeats } from "../../conversion/withUrls.ts"
import type {
  ImportedItem,
  ImportKind,
  ImportOptions,
  ImportSite,
  ItemAttachment,
  ItemImage,
  ItemLink,
  ItemNative,
  ItemStop,
  SkipCode
} from "../../ImportedItem.ts"
import { categoriesOf } from "./categories.ts"
import {
  dateOf,
  descriptionOf,
  exactDescriptionOf,
  exactLanguageOf,
  exactTitleOf,
  firstWords,
  languageOf,
  slugOf,
  titleOf
} from "./fields.ts"
import { addressKeys, itemLink, pathKeys } from "./links.ts"
import { type PictureEntries, pictureSource } from "./pictures.ts"
import { comparable } from "./text.ts"

/** A section: blocks to be written, or Markdown that is a section already. */
export type SourceSection = Nodes | MadeSection

/** A post as a form read it. Texts are without markup, but not yet within limits. Members that the source lacks are empty. */
export interface SourcePost {
  readonly kind: ImportKind
  readonly sourceId: string
  readonly sourcePath: string | null
  readonly sourceUrl: string | null
  readonly authors: ReadonlyArray<string>
  readonly title: string
  readonly slug: string
  readonly status: "draft" | "published" | "scheduled"
  readonly date: string
  readonly description: string
  readonly canonicalUrl: string
  readonly language: string
  readonly tags: ReadonlyArray<string>
  readonly categoryIds?: readonly [number | null, number | null]
  readonly cover: string
  readonly ogTitle: string
  readonly ogDescription: string
  readonly commentsEnabled: boolean | null
  readonly access: "free" | "paid"
  readonly free: SourceSection
  readonly paid: SourceSection
  readonly priceXno?: string | null
  readonly creationMethod?: CreationMethod | null
  readonly creationDetails?: string | null
  readonly creationAttested?: boolean
  readonly stop: ItemStop | null
  /** True for our own form: nothing is made of the text, and nothing is taken out of it. */
  readonly isExact?: boolean
  readonly aliases: ReadonlyArray<string>
  readonly attachments?: ReadonlyArray<ItemAttachment>
  readonly native?: ItemNative | null
  /** All of the source that makes the item another one when it changes. */
  readonly hashed: ReadonlyArray<unknown>
  readonly report: Report
  readonly pictures: EmbeddedPictures
}

/** The file around an item. */
export interface ItemContext {
  readonly site: ImportSite
  readonly options: ImportOptions
  readonly now: number
  readonly entries: PictureEntries
  readonly isBetweenFiles: boolean
  /** Names of authors so far. The report tells each of them once, but not the first. */
  readonly authors: Set<string>
}

const SOURCE_ID_MAX = 500

/** Returns an id of at most 500 characters. */
const boundedId = (id: string) =>
  id.length <= SOURCE_ID_MAX
    ? id.toWellFormed()
    : `${id.slice(0, 400).toWellFormed()}#${bytesToHex(sha256(utf8ToBytes(id.toWellFormed()))).slice(0, 32)}`

const isMade = (section: SourceSection): section is MadeSection => !Array.isArray(section)

/** Takes the first heading out of blocks if it is the title, or if there is no title. */
const withoutTitle = (
  blocks: Nodes,
  title: string
): { readonly blocks: Nodes; readonly heading: string } | undefined => {
  const [first] = blocks
  if (first?.type !== "heading") return undefined
  const heading = wordsOf(first.content ?? [])
  if (title !== "" && comparable(heading) !== comparable(title)) return undefined
  return { blocks: blocks.slice(1), heading }
}

type FactsOf = (markdown: string) => SectionFacts

const hasMarkdown = (made: MadeSection): made is Extract<MadeSection, { markdown: string }> =>
  "markdown" in made

/** Makes sections, with the title and the description that they give. */
const sectionsOf = (post: SourcePost, factsOf: FactsOf) => {
  const { report } = post
  let title = post.isExact === true ? exactTitleOf(post.title) : titleOf(post.title)
  let isTitleMade = false
  let free = post.free
  let paid = post.paid
  const name = post.title.trim() === "" ? "" : title.text
  if (!isMade(free)) {
    const rest = withoutTitle(free, name)
    if (rest !== undefined) {
      free = rest.blocks
      report.add("heading_removed", "free", rest.heading)
      if (name === "") title = titleOf(rest.heading)
    }
  }
  if (!isMade(paid) && !isMade(free) && free.length === 0 && name !== "") {
    const rest = withoutTitle(paid, name)
    if (rest !== undefined) {
      paid = rest.blocks
      report.add("heading_removed", "paid", rest.heading)
    }
  }
  if (title.isCut) {
    report.add("title_cut", "meta", post.title)
    // The name of a post is public, so the whole of it may stand in the free section.
    if (!isMade(free))
      free = [paragraph([textNode(post.title.slice(0, 20_000).replaceAll(/\s+/g, " ").trim())]), ...free]
  }
  const freeMade = isMade(free) ? free : sectionOf(free)
  const paidMade = isMade(paid) ? paid : sectionOf(paid)
  const excerpt = hasMarkdown(freeMade) ? factsOf(freeMade.markdown).excerpt : ""
  if (title.text === "" && excerpt !== "" && post.isExact !== true) {
    title = titleOf(firstWords(excerpt, 80))
    isTitleMade = true
  }
  if (isTitleMade) report.add("title_made", "meta", title.text)
  if (hasMarkdown(freeMade) && freeMade.isFlattened) report.add("text_flattened", "free")
  if (hasMarkdown(paidMade) && paidMade.isFlattened) report.add("text_flattened", "paid")
  return { title: title.text, freeMade, paidMade, excerpt }
}

/** Returns whole sentences, or words, of an excerpt: at most 200 characters. */
const firstSentences = (excerpt: string): string => {
  if ([...excerpt].length <= 200) return excerpt
  const end = excerpt.slice(0, 200).search(/[.!?。！？][^.!?。！？]*$/u)
  return end > 60 ? excerpt.slice(0, end + 1) : firstWords(excerpt, 200)
}

const descriptionIn = (post: SourcePost, excerpt: string): string => {
  const given = post.isExact === true ? exactDescriptionOf(post.description) : descriptionOf(post.description)
  if (given.isCut) post.report.add("description_cut", "meta", given.text)
  if (given.text !== "" || post.isExact === true) return given.text
  const made = descriptionOf(firstSentences(excerpt)).text
  if (made !== "") post.report.add("description_made", "meta", made)
  return made
}

const httpUrl = (url: string) => (url.length <= 2048 && hasHttpUrlForm(url) ? url : null)

/** Returns the old path of an address, with its query if it is the name of the post. */
const oldPathOf = (address: string): ReadonlyArray<string> => {
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null
  if (url === null) return address.startsWith("/") && !address.startsWith("//") ? [address] : []
  return [url.pathname + (url.pathname === "/" ? url.search : "")].filter((path) => path !== "/")
}

/** The name of a picture in a file of our own form. */
const EXPORTED_PICTURE = /^\/media\/[0-9a-f]{16}\.[a-z]+$/
/** Such names in a document in JSON. */
const EXPORTED_PICTURES = /(?<=")\/media\/[0-9a-f]{16}\.[a-z]+(?=")/g

/** Pictures in the text of an item, at most. */
const PICTURES_MAX = 500

const imagesOf = (
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
const coverOf = (
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

const statusOf = (post: SourcePost, datedAt: string | null, now: number) => {
  const isFuture = datedAt !== null && Date.parse(datedAt) > now
  if (isFuture) post.report.add("date_future", "meta", datedAt)
  return post.status === "published" && isFuture ? ("scheduled" as const) : post.status
}

const textsOf = (made: MadeSection) => (hasMarkdown(made) ? made.markdown : "")

const stopOf = (
  post: SourcePost,
  { include }: ImportOptions,
  made: ReadonlyArray<MadeSection>
): ItemStop | null => {
  const { stop } = post
  if (stop !== null && !(stop.outcome === "skipped" && include.includes(stop.code as SkipCode))) return stop
  for (const section of made) {
    if (hasMarkdown(section)) continue
    return { outcome: "refused", code: section.refused }
  }
  const isEmpty = made.every((section) => textsOf(section).trim() === "") && post.cover === ""
  if (isEmpty && !include.includes("empty")) return { outcome: "skipped", code: "empty" }
  return null
}

/** Makes an item of a post: its members within their limits, its sections, pictures and links, and its report. */
export const itemOf = (post: SourcePost, ordinal: number, context: ItemContext): ImportedItem => {
  const { report } = post
  const { options, site } = context
  const factsOf = makeSectionFacts()
  const { excerpt, freeMade, paidMade, title } = sectionsOf(post, factsOf)
  const sources = [textsOf(freeMade), textsOf(paidMade)]
  const stop = stopOf(post, options, [freeMade, paidMade])
  if (stop !== null) report.add(stop.code, "meta")

  const date = dateOf(post.date)
  if (date === undefined) report.add("date_missing", "meta", post.date)
  else if (date.isZoneAssumed) report.add("zone_assumed", "meta", post.date)
  const datedAt = date?.iso ?? null
  const status = statusOf(post, datedAt, context.now)
  const slug = slugOf(post.slug)
  if (slug.isChanged && post.slug !== "") report.add("slug_changed", "meta", post.slug)
  const { ids, others } = categoriesOf(post.tags)
  if (others.length > 0) report.add("tags_dropped", "meta", others.slice(0, 20).join(", "))
  const author = post.authors.length === 0 ? null : post.authors.join(", ").slice(0, 300).toWellFormed()
  if (author !== null && !context.authors.has(author)) {
    if (context.authors.size > 0 || post.authors.length > 1) report.add("author_dropped", "meta", author)
    context.authors.add(author)
  }

  const { images, repeats, urls } = imagesOf(post, context, sources, factsOf)
  const [freeContent = "", paidContent = ""] =
    repeats.size === 0 ? sources : sources.map((section) => withoutRepeats(section, repeats))
  const covers = coverOf(post, context, freeContent, images)
  const freeImages = new Set(factsOf(freeContent).images.map(({ url }) => url))
  for (const { from, url } of [...images, ...covers]) {
    const section = covers.some((it) => it.url === url) ? "meta" : freeImages.has(url) ? "free" : "paid"
    if ("missing" in from) report.add("image_missing", section, url)
  }
  const links = new Map<string, ItemLink>()
  // Links of our own form stay as they were written.
  for (const section of post.isExact === true ? [] : [freeContent, paidContent]) {
    for (const { url } of factsOf(section).links) {
      if (links.has(url) || urls.has(url)) continue
      const link = itemLink(url, {
        site,
        sourcePath: post.sourcePath,
        sourceUrl: post.sourceUrl,
        isBetweenFiles: context.isBetweenFiles
      })
      if (link !== undefined) links.set(url, link)
    }
  }
  const aliases = new Set([
    ...[post.sourceUrl ?? "", ...post.aliases].flatMap((address) =>
      /^[a-z]+:[^/]/.test(address) ? [address] : addressKeys(address, site)
    ),
    ...(post.sourcePath === null ? [] : pathKeys(post.sourcePath))
  ])
  const old =
    options.canonical === "old" && post.canonicalUrl === "" ? (post.sourceUrl ?? "") : post.canonicalUrl
  const description = descriptionIn(post, excerpt)
  return {
    ordinal,
    sourceId: boundedId(post.sourceId),
    sourcePath: post.sourcePath,
    sourceUrl: post.sourceUrl === null ? null : post.sourceUrl.slice(0, 2048).toWellFormed(),
    kind: post.kind,
    author,
    title,
    slug: slug.slug,
    status,
    datedAt,
    access: post.access,
    stop,
    draft: {
      title,
      description,
      slug: slug.slug,
      canonicalUrl: httpUrl(old),
      language: post.isExact === true ? exactLanguageOf(post.language) : languageOf(post.language),
      categoryIds: post.categoryIds ?? ids,
      ogTitle: (post.isExact === true ? exactTitleOf : titleOf)(post.ogTitle).text || null,
      ogDescription:
        (post.isExact === true ? exactDescriptionOf : descriptionOf)(post.ogDescription).text || null,
      commentsEnabled: post.commentsEnabled,
      accessKind: post.access,
      freeContent,
      paidContent,
      priceXno: post.priceXno ?? null,
      creationMethod: post.creationMethod ?? null,
      creationDetails: post.creationDetails ?? null,
      creationAttested: post.creationAttested ?? false
    },
    images: [...images, ...covers],
    links: [...links.values()],
    attachments: post.attachments ?? [],
    native: post.native ?? null,
    aliases: [...aliases].slice(0, 100),
    oldPaths: [...new Set([post.sourceUrl ?? "", ...post.aliases].flatMap(oldPathOf))].slice(0, 50),
    report: report.lines,
    unreported: report.unreported,
    sha256: bytesToHex(sha256(utf8ToBytes(JSON.stringify(post.hashed).toWellFormed())))
  }
}
