import { addressesIn, writtenAddress } from "../parser/addressPlaces.ts"
import { TooComplex } from "../parser/parserLimits.ts"
import { joinedRoot } from "../parser/rootOf.ts"
import { headingsOf } from "./headings.ts"
import { hastOf } from "./safeHtml.ts"
import { absoluteLink, hasScheme } from "./targets.ts"

const absolute = (source: string, url: string): string => {
  const { addresses, parts } = addressesIn(source)
  const headings = headingsOf(hastOf(joinedRoot(parts)))
  let result = ""
  let at = 0
  for (const { end, start, url: target } of addresses) {
    if (hasScheme(target)) continue
    const id = target.startsWith("#") ? headings.named(target.slice(1)) : undefined
    const address = id === undefined ? absoluteLink(target, url) : `${url}#${encodeURIComponent(id)}`
    if (address === undefined) continue
    result += source.slice(at, start) + writtenAddress(address)
    at = end
  }
  return result + source.slice(at)
}

/**
 * Returns a section of Markdown whose links and images lead to the same places from anywhere: relative addresses become
 * absolute, and headings are those of its page at `url`. Everything else stays as it is.
 */
export const absoluteMarkdown = (source: string, url: string): string => {
  try {
    return absolute(source, url)
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return source
  }
}
