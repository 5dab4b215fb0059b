import { mediaPathOf } from "../../../../schemas/platform/mediaPath.ts"

/** Returns true for an address that leads to one of the URLs. */
export type LeadsTo = (address: string) => boolean

/**
 * Makes a test for addresses that are one of these URLs. An image of the service is found by every address that leads to it, on
 * any of these hosts.
 */
export const leadingTo = (urls: ReadonlyArray<string>, hosts: ReadonlyArray<string>): LeadsTo => {
  const whole = new Set(urls)
  const paths = new Set(urls.flatMap((url) => mediaPathOf(url, hosts) ?? []))
  return (address) => whole.has(address) || (paths.size > 0 && paths.has(mediaPathOf(address, hosts) ?? ""))
}

/** Returns the URLs in the ways in which a text may spell them, longer ones first. */
export const spellingsOf = (
  urls: ReadonlyArray<string>,
  hosts: ReadonlyArray<string>
): ReadonlyArray<string> =>
  urls.flatMap((url) => {
    const path = mediaPathOf(url, hosts)
    if (path === undefined) return [url]
    return [
      ...new Set([url, ...hosts.flatMap((it) => [`https://${it}${path}`, `http://${it}${path}`]), path])
    ].toSorted((a, b) => b.length - a.length)
  })
