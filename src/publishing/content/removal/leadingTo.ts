import { mediaPathOf } from "../../../../schemas/platform/mediaPath.ts"

/** Returns true for an address that leads to one of the URLs. */
export type LeadsTo = (address: string) => boolean

/**
 * Returns the path of the image of the service that an address leads to, without its width and format: smaller copies have
 * others. Returns undefined for every other address.
 */
export const imagePathOf = (address: string, hosts: ReadonlyArray<string>): string | undefined =>
  mediaPathOf(address, hosts)?.replace(/(?:-\d{1,5})?\.[a-z]+$/, "")

/**
 * Makes a test for addresses that are one of these URLs. An image of the service is found by every address that leads to it or to
 * a smaller copy, on any of these hosts.
 */
export const leadingTo = (urls: ReadonlyArray<string>, hosts: ReadonlyArray<string>): LeadsTo => {
  const whole = new Set(urls)
  const paths = new Set(urls.flatMap((url) => imagePathOf(url, hosts) ?? []))
  return (address) => whole.has(address) || (paths.size > 0 && paths.has(imagePathOf(address, hosts) ?? ""))
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
