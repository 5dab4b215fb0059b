import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { hasHttpUrlForm } from "../../../../../schemas/platform/httpUrl.ts"
import { paragraph, textNode, type Nodes, wordsOf } from "../../conversion/nodes.ts"
import { type MadeSection, sectionOf } from "../../conversion/section.ts"
import { makeSectionFacts } from "../../conversion/urls.ts"
import { withoutRepeats } from "../../conversion/withUrls.ts"
import type { ImportedItem, ImportOptions, ItemLink, ItemStop, SkipCode } from "../../ImportedItem.ts"
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
import { coverOf, type FactsOf, imagesOf } from "./itemImages.ts"
import { addressKeys, itemLink, pathKeys } from "./links.ts"
import type { ItemContext, SourcePost, SourceSection } from "./SourcePost.ts"
import { comparable } from "./text.ts"

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
      ...(typeof post.mailReaders === "boolean" ? { mailReaders: post.mailReaders } : {}),
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
