import { TooComplex } from "../../../content/parser/parserLimits.ts"
import { definitionsIn } from "../../../content/reading/unsupported.ts"
import { placedSource } from "../../conversion/markdown/codeRanges.ts"
import { markdownHtml } from "../../conversion/markdown/markdownHtml.ts"

/** The mark of a paywall in HTML of Ghost. */
export const PAYWALL = "<!--members-only-->"

/** Values of a card, as JSON has them. */
export type CardValues = Readonly<Record<string, unknown>>

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (it) => ESCAPES[it] as string)

export const isRecord = (value: unknown): value is CardValues =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the first of these members that is a text. */
export const text = (values: CardValues, ...names: ReadonlyArray<string>): string => {
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (typeof value === "string" && value !== "") return value
    if (typeof value === "number") return String(value)
  }
  return ""
}

const figure = (content: string, caption: string, name = "") =>
  `<figure${name === "" ? "" : ` class="${name}"`}>${content}${caption === "" ? "" : `<figcaption>${caption}</figcaption>`}</figure>`

const image = (values: CardValues) => {
  const picture = `<img src="${escaped(text(values, "src"))}" alt="${escaped(text(values, "alt"))}">`
  const href = text(values, "href")
  return href === "" ? picture : `<a href="${escaped(href)}">${picture}</a>`
}

const link = (url: string, words: string, name: string) =>
  `<div class="${name}"><a href="${escaped(url)}">${escaped(words)}</a></div>`

const markdown = (source: string): string => {
  try {
    const nodes = placedSource(source).blocks.map(({ node }) => node)
    return markdownHtml(nodes, definitionsIn(nodes))
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return `<p>${escaped(source)}</p>`
  }
}

/** All texts within the values of an unknown card. */
const textsIn = (value: unknown, level = 0): string => {
  if (typeof value === "string")
    return /^https?:\/\/\S+$/.test(value) || !/\s/.test(value.trim()) ? "" : `<p>${value}</p>`
  if (level > 8 || typeof value !== "object" || value === null) return ""
  return Object.values(value)
    .map((it) => textsIn(it, level + 1))
    .join("")
}

type Card = (values: CardValues) => string

const CARDS: ReadonlyMap<string, Card> = new Map<string, Card>([
  ["image", (it) => figure(image(it), text(it, "caption"))],
  [
    "gallery",
    (it) =>
      figure(
        (Array.isArray(it["images"]) ? it["images"] : []).filter(isRecord).map(image).join(""),
        text(it, "caption"),
        "kg-gallery-card"
      )
  ],
  [
    "bookmark",
    (it) => {
      const metadata = isRecord(it["metadata"]) ? it["metadata"] : {}
      const url = text(it, "url") || text(metadata, "url")
      return figure(link(url, text(metadata, "title") || url, "kg-button-card"), text(it, "caption"))
    }
  ],
  [
    "embed",
    (it) =>
      figure(text(it, "html") || `<iframe src="${escaped(text(it, "url"))}"></iframe>`, text(it, "caption"))
  ],
  [
    "video",
    (it) =>
      figure(
        `<video src="${escaped(text(it, "src"))}" title="${escaped(text(it, "title", "fileName"))}"></video>`,
        text(it, "caption")
      )
  ],
  [
    "audio",
    (it) => `<audio src="${escaped(text(it, "src"))}" title="${escaped(text(it, "title"))}"></audio>`
  ],
  [
    "file",
    (it) =>
      `<div class="kg-file-card"><a href="${escaped(text(it, "src"))}"><div class="kg-file-card-title">${escaped(text(it, "fileTitle", "fileName"))}</div></a></div>`
  ],
  [
    "callout",
    (it) =>
      `<div class="kg-callout-card"><div class="kg-callout-emoji">${escaped(text(it, "calloutEmoji"))}</div><div class="kg-callout-text">${text(it, "calloutText")}</div></div>`
  ],
  [
    "toggle",
    (it) =>
      `<div class="kg-toggle-card"><h4 class="kg-toggle-heading-text">${text(it, "heading")}</h4><div class="kg-toggle-content">${text(it, "content")}</div></div>`
  ],
  ["button", (it) => link(text(it, "buttonUrl"), text(it, "buttonText"), "kg-button-card")],
  ["html", (it) => text(it, "html")],
  ["markdown", (it) => markdown(text(it, "markdown"))],
  [
    "codeblock",
    (it) =>
      figure(
        `<pre data-language="${escaped(text(it, "language"))}">\n${escaped(text(it, "code"))}\n</pre>`,
        text(it, "caption")
      )
  ],
  ["paywall", () => PAYWALL],
  ["horizontalrule", () => "<hr>"],
  [
    "header",
    (it) =>
      `<h2>${text(it, "header")}</h2><p>${text(it, "subheader")}</p>${text(it, "buttonUrl") === "" ? "" : link(text(it, "buttonUrl"), text(it, "buttonText"), "kg-button-card")}`
  ],
  [
    "product",
    (it) =>
      `${text(it, "productImageSrc") === "" ? "" : `<p><img src="${escaped(text(it, "productImageSrc"))}"></p>`}<p><b>${text(it, "productTitle")}</b></p>${text(it, "productDescription")}${text(it, "productUrl") === "" ? "" : link(text(it, "productUrl"), text(it, "productButton"), "kg-button-card")}`
  ],
  [
    "call-to-action",
    (it) =>
      `${text(it, "textValue")}${text(it, "buttonUrl") === "" ? "" : link(text(it, "buttonUrl"), text(it, "buttonText"), "kg-button-card")}`
  ],
  ["signup", () => `<div class="kg-signup-card">Sign up</div>`],
  // Only in mail.
  ["email", () => ""],
  ["email-cta", () => ""]
])

const NAMES: Readonly<Record<string, string>> = {
  hr: "horizontalrule",
  code: "codeblock",
  "card-markdown": "markdown"
}

/** Writes a card as the HTML that Ghost would show; undefined for an unknown one. */
export const cardHtml = (name: string, values: CardValues): string | undefined => {
  const known = Object.hasOwn(NAMES, name) ? (NAMES[name] as string) : name
  return CARDS.get(known)?.(values)
}

/** Writes the texts of an unknown card. */
export const unknownCardHtml = (values: CardValues): string => textsIn(values)
