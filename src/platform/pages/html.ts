import { templateOf } from "./templateHoles.ts"

/** Text that is HTML. Only {@link html}, {@link trusted} and {@link jsonLd} make it. */
class SafeHtml {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

export type Html = SafeHtml

/**
 * A value that a template takes: text is escaped, lists are joined, and `false`, `null` and `undefined` are left out.
 */
export type Hole = string | number | Html | false | null | undefined | ReadonlyArray<Hole>

const ESCAPED = /[&<>"']/

/** Escapes text for any place of a document. Each pass is the engine's; a call for each character would take seconds. */
const escaped = (text: string): string =>
  ESCAPED.test(text)
    ? text
        .replaceAll(/&/g, "&amp;")
        .replaceAll(/</g, "&lt;")
        .replaceAll(/>/g, "&gt;")
        .replaceAll(/"/g, "&quot;")
        .replaceAll(/'/g, "&#39;")
    : text

const contentOf = (hole: Hole): string => {
  if (typeof hole === "string") return escaped(hole)
  if (hole === false || hole === null || hole === undefined) return ""
  if (typeof hole === "number") return String(hole)
  return hole instanceof SafeHtml ? hole.toString() : hole.map(contentOf).join("")
}

const plainValueOf = (hole: Hole): string => {
  if (typeof hole === "string") return hole
  if (hole === false || hole === null || hole === undefined) return ""
  if (typeof hole === "number") return String(hole)
  throw new TypeError("An attribute takes text, and neither HTML nor a list")
}

/** Characters that browsers leave out when they read a scheme. */
// oxlint-disable-next-line no-control-regex
const IGNORED = /[\u0000-\u0020\u007f-\u009f]/g
const SCHEME = /^([a-z][a-z0-9+.-]*):/i
const SAFE_SCHEMES: ReadonlySet<string> = new Set(["http", "https", "mailto", "nano"])

/** Returns a URL that opens nothing but a page, a mail or a wallet; `#` for any other. */
export const safeUrl = (url: string): string => {
  // Most URLs are ours, and are recognized without being parsed.
  if (url.startsWith("/") || url.startsWith("https://")) return url
  const scheme = SCHEME.exec(url.replaceAll(IGNORED, ""))?.[1]
  return scheme === undefined || SAFE_SCHEMES.has(scheme.toLowerCase()) ? url : "#"
}

/**
 * Makes HTML from a template whose static text is ours. Holes stand in text and in double-quoted values of attributes; any other
 * place is refused, so that the first test which renders a template finds it. A hole that begins a URL takes only
 * schemes without code.
 */
export const html = (strings: TemplateStringsArray, ...holes: ReadonlyArray<Hole>): Html => {
  const { parts, places } = templateOf(strings)
  let text = parts[0] ?? ""
  for (let index = 0; index < holes.length; index++) {
    const hole = holes[index]
    const place = places[index]
    if (place === "text") text += contentOf(hole)
    else text += escaped(place === "url" ? safeUrl(plainValueOf(hole)) : plainValueOf(hole))
    text += parts[index + 1] ?? ""
  }
  return new SafeHtml(text)
}

/** Accepts the HTML that a sanitizer made, without a change. */
export const trusted = (text: string): Html => new SafeHtml(text)

/** Data of a document that browsers do not run. */
export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | ReadonlyArray<Json>
  | { readonly [member: string]: Json }

/** Makes the element that holds linked data. No text in it can end it, because the texts have no `<`. */
export const jsonLd = (value: Json): Html =>
  new SafeHtml(
    `<script type="application/ld+json">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`
  )
