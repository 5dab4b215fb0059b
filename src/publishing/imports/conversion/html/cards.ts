import { isShownTarget } from "../../../content/html/targets.ts"
import { embedParagraph } from "../embeds.ts"
import {
  blockquote,
  blocksFrom,
  boldParagraph,
  codeBlock,
  linkNode,
  type Marks,
  type Nodes,
  paragraph,
  textNode,
  tidyLine
} from "../nodes.ts"
import { captioned, fileNameOf, inlinesOf } from "./captions.ts"
import {
  attribute,
  findElement,
  findElements,
  hasClass,
  type HtmlElement,
  type HtmlNode,
  htmlText
} from "./htmlTree.ts"
import { originalPicture } from "./pictures.ts"
import type { Walk } from "./walk.ts"

type Card = (walk: Walk, element: HtmlElement, marks: Marks, depth: number) => Nodes | undefined

const within = (element: HtmlElement, name: string) =>
  findElement(element.children, (it) => hasClass(it, name))

const wordsOf = (element: HtmlElement | undefined) =>
  element === undefined ? "" : htmlText(element.children).replaceAll(/\s+/g, " ").trim()

const firstLink = (element: HtmlElement) =>
  element.name === "a"
    ? element
    : findElement(element.children, (it) => it.name === "a" && attribute(it, "href") !== "")

/** Returns the values that Substack keeps for its editor. */
const valuesOf = (element: HtmlElement): Readonly<Record<string, unknown>> => {
  const json = attribute(element, "data-attrs")
  if (json === "" || json.length > 100_000) return {}
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

const textIn = (values: Readonly<Record<string, unknown>>, ...names: ReadonlyArray<string>) => {
  const value = names
    .map((name) => (Object.hasOwn(values, name) ? values[name] : undefined))
    .find((it) => typeof it === "string" && it !== "")
  return typeof value === "string" ? value.slice(0, 10_000) : ""
}

const dropped: Card = (walk, element) => {
  walk.note("subscribe_box_dropped", wordsOf(element))
  return []
}

const galleryCard: Card = (walk, element, _marks, depth) => {
  const pictures = findElements(
    element.children,
    ({ name }) => name === "figure" || name === "a" || name === "img"
  )
  if (pictures.length === 0) return undefined
  walk.note("gallery_unrolled")
  const caption = findElement(
    element.children,
    (it) =>
      it.name === "figcaption" && !pictures.some((picture) => findElement([picture], (own) => own === it))
  )
  const blocks = pictures.flatMap((picture) => walk.blocks([picture], depth))
  return caption === undefined
    ? blocks
    : captioned(walk, blocks, inlinesOf(walk.blocks(caption.children, depth)))
}

/** A link of one line, for a button or a preview of another page. */
const linkCard =
  (code: "embed_link" | "button_link" | "media_link", titleClass = ""): Card =>
  (walk, element) => {
    const link = firstLink(element)
    if (link === undefined) return undefined
    const href = attribute(link, "href")
    const title = wordsOf(titleClass === "" ? link : (within(element, titleClass) ?? link))
    if (/%%\w+_url%%/.test(href)) return dropped(walk, element, [], 0)
    if (!isShownTarget(href)) {
      walk.note("link_dropped", href)
      return title === "" ? [] : [paragraph([textNode(title)])]
    }
    walk.note(code, href)
    return [paragraph([linkNode(title || fileNameOf(href), href)])]
  }

const bookmarkCard: Card = (walk, element, marks, depth) => {
  const nodes = linkCard("embed_link", "kg-bookmark-title")(walk, element, marks, depth)
  const caption = findElement(element.children, ({ name }) => name === "figcaption")
  return nodes === undefined || caption === undefined
    ? nodes
    : captioned(walk, nodes, inlinesOf(walk.blocks(caption.children, depth)))
}

const calloutCard: Card = (walk, element, _marks, depth) => {
  const content = walk.blocks(element.children, depth + 1)
  if (content.length === 0) return []
  walk.note("callout_quote")
  return [blockquote(content)]
}

const ghostCallout: Card = (walk, element, _marks, depth) => {
  const emoji = wordsOf(within(element, "kg-callout-emoji"))
  const text = within(element, "kg-callout-text")
  if (text === undefined) return undefined
  walk.note("callout_quote")
  const [first, ...others] = walk.blocks(text.children, depth + 1)
  const lead = emoji === "" ? [] : [textNode(`${emoji} `)]
  const begin =
    first?.type === "paragraph"
      ? [paragraph([...lead, ...(first.content ?? [])])]
      : [...blocksFrom(lead), ...(first === undefined ? [] : [first])]
  return begin.length + others.length === 0 ? [] : [blockquote([...begin, ...others])]
}

const toggleCard: Card = (walk, element, _marks, depth) => {
  const heading = within(element, "kg-toggle-heading-text")
  const content = within(element, "kg-toggle-content")
  if (content === undefined) return undefined
  walk.note("details_unfolded")
  const line = heading === undefined ? [] : tidyLine(inlinesOf(walk.blocks(heading.children, depth)))
  return [...(line.length === 0 ? [] : [boldParagraph(line)]), ...walk.blocks(content.children, depth)]
}

const mediaCard =
  (titleClass: string): Card =>
  (walk, element, _marks, depth) => {
    const media = findElement(element.children, ({ name }) => name === "audio" || name === "video")
    const src = media === undefined ? "" : attribute(media, "src")
    if (src === "" || !isShownTarget(src)) return undefined
    walk.note("media_link", src)
    const caption = findElement(element.children, ({ name }) => name === "figcaption")
    const link = [paragraph([linkNode(wordsOf(within(element, titleClass)) || fileNameOf(src), src)])]
    return caption === undefined
      ? link
      : captioned(walk, link, inlinesOf(walk.blocks(caption.children, depth)))
  }

/** A page that Substack embeds: a post, a tweet, a photo. */
const substackEmbed: Card = (walk, element) => {
  const values = valuesOf(element)
  const instagram = textIn(values, "instagram_id")
  const url =
    textIn(values, "canonical_url", "url", "tweet_url") ||
    (instagram === "" ? "" : `https://www.instagram.com/p/${instagram}/`)
  if (!/^https?:\/\//i.test(url)) return undefined
  walk.note("embed_link", url)
  const quote = textIn(values, "full_text")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const author = textIn(values, "name", "username")
  const link = embedParagraph(url, textIn(values, "title") || author)
  return quote.length === 0
    ? link
    : [blockquote([...quote.map((line) => paragraph([textNode(line)])), ...link])]
}

const substackGallery: Card = (walk, element) => {
  const { gallery } = valuesOf(element)
  const images: unknown =
    typeof gallery === "object" && gallery !== null && "images" in gallery ? gallery.images : undefined
  if (!Array.isArray(images)) return undefined
  walk.note("gallery_unrolled")
  const { caption } = gallery as { readonly caption?: unknown }
  const blocks = images.slice(0, 100).flatMap((image: unknown): Nodes => {
    const src = typeof image === "object" && image !== null && "src" in image ? image.src : undefined
    return typeof src === "string" && isShownTarget(src)
      ? [paragraph([{ type: "image", attrs: { src: originalPicture(src), alt: "" } }])]
      : []
  })
  return captioned(walk, blocks, typeof caption === "string" && caption !== "" ? [textNode(caption)] : [])
}

const latexCard: Card = (walk, element) => {
  const tex = textIn(valuesOf(element), "persistentExpression") || htmlText(element.children).trim()
  if (tex === "") return []
  walk.note("math_code")
  return [codeBlock(tex, "tex")]
}

const mentionCard: Card = (_walk, element, marks) => {
  const name = textIn(valuesOf(element), "name") || wordsOf(element)
  return name === "" ? [] : [textNode(name, marks)]
}

/** A player without an address in the text. */
const playerCard: Card = (walk, element) => {
  walk.note("html_dropped", attribute(element, "class"))
  return []
}

/** An address alone in a block, which WordPress shows as a player or a preview. */
const oembedCard: Card = (walk, element, _marks, depth) => {
  const wrapper = within(element, "wp-block-embed__wrapper")
  const url = wordsOf(wrapper)
  if (!/^https?:\/\/\S+$/i.test(url) || url.length > 2048) return undefined
  walk.note("embed_link", url)
  const caption = findElement(element.children, ({ name }) => name === "figcaption")
  return captioned(
    walk,
    embedParagraph(url),
    caption === undefined ? [] : inlinesOf(walk.blocks(caption.children, depth))
  )
}

const wordpressCaption: Card = (walk, element, _marks, depth) => {
  const text = within(element, "wp-caption-text")
  if (text === undefined) return undefined
  const isOther = (node: HtmlNode) => node !== text
  return captioned(
    walk,
    walk.blocks(element.children.filter(isOther), depth),
    inlinesOf(walk.blocks(text.children, depth))
  )
}

const mixtapeCard: Card = (walk, element) => {
  const link = firstLink(element)
  const href = link === undefined ? "" : attribute(link, "href")
  if (link === undefined || !isShownTarget(href)) return undefined
  walk.note("embed_link", href)
  const title = findElement(link.children, ({ name }) => name === "strong")
  return embedParagraph(href, wordsOf(title ?? link))
}

const tweetCard: Card = (walk, element) => {
  const link = findElements(element.children, ({ name }) => name === "a").at(-1)
  if (link !== undefined) walk.note("embed_link", attribute(link, "href"))
  return undefined
}

/** Cards by the class that platforms give them. */
const CARDS: ReadonlyMap<string, Card> = new Map<string, Card>([
  ["kg-gallery-card", galleryCard],
  ["kg-bookmark-card", bookmarkCard],
  ["kg-button-card", linkCard("button_link")],
  ["kg-callout-card", ghostCallout],
  ["kg-toggle-card", toggleCard],
  ["kg-file-card", linkCard("media_link", "kg-file-card-title")],
  ["kg-audio-card", mediaCard("kg-audio-title")],
  ["kg-video-card", mediaCard("kg-video-title")],
  ["kg-signup-card", dropped],
  ["kg-product-card-button", linkCard("button_link")],
  ["kg-header-card-button", linkCard("button_link")],
  ["kg-cta-button", linkCard("button_link")],
  ["subscription-widget-wrap", dropped],
  ["subscription-widget-wrap-editor", dropped],
  ["subscription-widget", dropped],
  ["subscribe-widget", dropped],
  ["captioned-button-wrap", dropped],
  ["community-chat", dropped],
  ["install-substack-app-embed", dropped],
  ["directMessage", dropped],
  ["button-wrapper", linkCard("button_link")],
  ["image-gallery-embed", substackGallery],
  ["tweet", substackEmbed],
  ["embedded-post-wrap", substackEmbed],
  ["digest-post-embed", substackEmbed],
  ["embedded-publication-wrap", substackEmbed],
  ["instagram", substackEmbed],
  ["bluesky-wrap", substackEmbed],
  ["comment", substackEmbed],
  ["latex-rendered", latexCard],
  ["mention-wrap", mentionCard],
  ["native-video-embed", playerCard],
  ["native-audio-embed", playerCard],
  ["poll-embed", playerCard],
  ["pullquote", calloutCard],
  ["callout-block", calloutCard],
  ["file-embed-wrapper", linkCard("media_link", "file-embed-details-h1")],
  ["wp-block-gallery", galleryCard],
  ["wp-block-jetpack-tiled-gallery", galleryCard],
  ["tiled-gallery", galleryCard],
  ["gallery", galleryCard],
  ["wp-block-embed", oembedCard],
  ["wp-block-button", linkCard("button_link")],
  ["wp-block-file", linkCard("media_link")],
  ["wp-block-jetpack-subscriptions", dropped],
  ["wp-block-jetpack-subscriptions__container", dropped],
  ["wp-block-social-links", dropped],
  ["wp-block-search", dropped],
  ["sharedaddy", dropped],
  ["jp-relatedposts", dropped],
  ["wp-caption", wordpressCaption],
  ["graf--mixtapeEmbed", mixtapeCard],
  ["twitter-tweet", tweetCard],
  ["admonition", calloutCard]
])

/** Returns the nodes of a card of a platform, by the class of its element; undefined for an ordinary element. */
export const cardOf: Card = (walk, element, marks, depth) => {
  const names = attribute(element, "class")
  if (names === "") return undefined
  for (const name of names.slice(0, 2000).split(/\s+/)) {
    const nodes = CARDS.get(name)?.(walk, element, marks, depth)
    if (nodes !== undefined) return nodes
  }
  return undefined
}
