/** Schemes of links besides those of the web. */
const SCHEMES: ReadonlySet<string> = new Set(["mailto", "tel", "nano"])

const WEB = /^https?:\/\//i
const SCHEME = /^([a-z][a-z0-9+.-]*):/i

/** Characters that browsers leave out of an address: at its ends, and anywhere. */
// oxlint-disable-next-line no-control-regex
const AT_THE_ENDS = /^[\u0000-\u0020]+|[\u0000-\u0020]+$/g
const ANYWHERE = /[\t\n\r]/g

/** Returns true for an address with a scheme: it is not relative. */
export const hasScheme = (target: string): boolean => SCHEME.test(target)

/** Resolves every relative address as the address of a Post does. */
const ANY_POST = "https://press.invalid/@author/post"

/**
 * Returns the absolute address of a link, read as a browser does; `url` is the address of the Post that has the link.
 * Returns undefined for an address that is neither relative nor of the web, mail, telephone or Nano.
 */
export const absoluteLink = (target: string, url: string | undefined): string | undefined => {
  const address = target.replaceAll(AT_THE_ENDS, "").replaceAll(ANYWHERE, "")
  const scheme = SCHEME.exec(address)?.[1]
  if (scheme === undefined) {
    const resolved = url === undefined ? undefined : URL.parse(address, url)?.href
    return resolved !== undefined && WEB.test(resolved) ? resolved : undefined
  }
  const name = scheme.toLowerCase()
  return SCHEMES.has(name) || WEB.test(address) ? `${name}${address.slice(name.length)}` : undefined
}

/** Returns the absolute address of an image, as {@link absoluteLink} does. Images come from the web. */
export const absoluteImage = (target: string, url: string | undefined): string | undefined => {
  const address = absoluteLink(target, url)
  return address !== undefined && WEB.test(address) ? address : undefined
}

/** Returns true for a link that pages show. */
export const isLinkTarget = (target: string): boolean => absoluteLink(target, ANY_POST) !== undefined

/** Returns true for an image that pages show. */
export const isImageTarget = (target: string): boolean => absoluteImage(target, ANY_POST) !== undefined

/** Matches the beginning of an address that may be relative. */
const MAY_BE_RELATIVE = /\](?:\(|:)\s*<?(?!(?:https?:\/\/|mailto:|tel:|nano:))/i

/** Returns true for Markdown that may have a relative link, in any spelling. */
export const mayBeRelative = (source: string): boolean => MAY_BE_RELATIVE.test(source)
