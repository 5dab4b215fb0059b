/** Schemes of links besides those of the web. */
const SCHEMES: ReadonlySet<string> = new Set(["mailto", "tel", "nano"])

const WEB = /^https?:\/\//i
const SCHEME = /^([a-z][a-z0-9+.-]*):/i

/** Characters that browsers leave out of an address. */
const IGNORED = /[\t\n\r]/g

/** Returns a text without the white space and control characters at its ends. A pattern would take quadratic time. */
const trimmed = (text: string) => {
  let start = 0
  let end = text.length
  while (start < end && text.charCodeAt(start) <= 32) start++
  while (end > start && text.charCodeAt(end - 1) <= 32) end--
  return text.slice(start, end)
}

/** Returns true for an address with a scheme: it is not relative. */
export const hasScheme = (target: string): boolean => SCHEME.test(target)

/** Resolves every relative address as the address of a Post does. */
const ANY_POST = "https://press.invalid/@author/post"

/**
 * Returns the absolute address of a link, read as a browser does; `url` is the address of the Post that has the link.
 * Returns undefined for an address that is neither relative nor of the web, mail, telephone or Nano.
 */
export const absoluteLink = (target: string, url: string | undefined): string | undefined => {
  const address = trimmed(target).replaceAll(IGNORED, "")
  const scheme = SCHEME.exec(address)?.[1]
  if (scheme === undefined) {
    const resolved = url === undefined ? undefined : URL.parse(address, url)?.href
    return resolved !== undefined && WEB.test(resolved) ? resolved : undefined
  }
  const name = scheme.toLowerCase()
  return SCHEMES.has(name) || WEB.test(address) ? `${name}${address.slice(name.length)}` : undefined
}

/** Matches a relative address that looks as if it began with a scheme. */
const WITH_COLON = /^[^/?#\\]*:/

/**
 * Returns a relative address as the page of its Post has it; undefined for any other. It leads from there to the same place
 * as `absoluteLink` does.
 */
export const relativeLink = (target: string): string | undefined => {
  const address = trimmed(target).replaceAll(IGNORED, "")
  if (hasScheme(address)) return undefined
  const resolved = URL.parse(address, ANY_POST)
  if (resolved === null || !WEB.test(resolved.href)) return undefined
  // The address of another site without a scheme.
  if (resolved.origin !== new URL(ANY_POST).origin) return resolved.href
  return WITH_COLON.test(address) ? `./${address}` : address
}

/** Returns true for an absolute address of the web, from where images come. */
export const isWeb = (address: string): boolean => WEB.test(address)

/** Returns true for the address of a link or an image that pages show. */
export const isShownTarget = (target: string): boolean => absoluteLink(target, ANY_POST) !== undefined

/** Matches the beginning of an address that may be relative. */
const MAY_BE_RELATIVE = /\](?:\(|:)(?!\s*<?(?:https?:\/\/|mailto:|tel:|nano:))/i

/** Returns true for Markdown that may have a relative link, in any spelling. */
export const mayBeRelative = (source: string): boolean => MAY_BE_RELATIVE.test(source)
