import { footnotesApart } from "./footnotes.ts"
import { REL } from "./safeHtml.ts"
import { absoluteLink, hasScheme } from "./targets.ts"

/**
 * The address of a link or an image, as `pageText` writes it, and the end of a link without `rel`, which leads to a heading of
 * its page. Only tags have a `<`, in attributes too.
 */
const ADDRESS = /<(a href|img src)="([^"<]*)"(?:( title="[^"]*")?(>))?/g

/** Characters that HTML writes as references in an attribute. */
const REFERENCE = /&#x([0-9A-F]+);/gi

const read = (attribute: string) =>
  attribute.replaceAll(REFERENCE, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))

const written = (address: string) => address.replaceAll("&", "&#x26;").replaceAll('"', "&#x22;")

/** Makes relative addresses absolute. Links to headings stay within the page unless the page is elsewhere. */
const led = (html: string, url: string, isPage: boolean): string =>
  html.replaceAll(
    ADDRESS,
    (whole, start: string, attribute: string, title: string | undefined, end: string | undefined) => {
      const isToHeading = end !== undefined && attribute.startsWith("#h-")
      const address = read(attribute)
      if ((isToHeading && isPage) || hasScheme(address)) return whole
      const rest = `${title ?? ""}${isToHeading ? ` rel="${REL.join(" ")}"` : ""}${end ?? ""}`
      return `<${start}="${written(absoluteLink(address, url) ?? url)}"${rest}`
    }
  )

/** Returns the HTML of a page whose relative links and images lead on from `url`, for a place elsewhere. */
export const absoluteHtml = (html: string, url: string): string => led(html, url, true)

/** A heading that links to itself. */
const HEADING = /<(h[2-6]) id="[^"]*">(?:<a href="#[^"]*">((?:[^<]|<(?!\/?[ah]\b))*)<\/a>(?=<\/\1>)|)/g

/** Tags that pages need for colours, and for the keyboard. */
const OF_PAGES = /<\/?(?:span|section)(?: [^<>]*)?>/g
const FOCUS = /<pre tabindex="0">/g
const LAZY = /(<img (?:"[^"]*"|[^<>"])*?) loading="lazy" decoding="async"/g
const ALIGNED = /<(t[hd]) class="a-(center|right)">/g

/** Returns the end of ids that no other Post has: handles and slugs have no dot. */
const tagOf = (url: string) =>
  `.${url
    .split("/")
    .slice(-2)
    .join(".")
    .replaceAll(/[^\w.-]/g, "")}`

/**
 * Returns the HTML of a page as feeds have it: without the parts that a page needs for its own, and with links that lead on
 * from `url`, to headings on the page of the Post, too. Footnotes have ids that no other Post of the feed has.
 */
export const feedHtml = (html: string, url: string): string =>
  led(
    footnotesApart(html, tagOf(url))
      .replaceAll(HEADING, (_, name: string, words: string | undefined) => `<${name}>${words ?? ""}`)
      .replaceAll(OF_PAGES, "")
      .replaceAll(FOCUS, "<pre>")
      .replaceAll(LAZY, "$1")
      .replaceAll(ALIGNED, '<$1 align="$2">'),
    url,
    false
  )
