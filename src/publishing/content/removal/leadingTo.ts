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

/** Returns the texts that name these URLs, for a text that cannot be parsed. */
export const spellingsOf = (
  urls: ReadonlyArray<string>,
  hosts: ReadonlyArray<string>
): ReadonlyArray<string> =>
  urls.flatMap((url) => {
    const path = mediaPathOf(url, hosts)
    return path === undefined ? [url] : [...hosts.map((host) => `https://${host}${path}`), path]
  })
