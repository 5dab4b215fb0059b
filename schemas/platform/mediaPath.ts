// The thread that reads sections loads this module, so it imports none of the framework.

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

/** The path of an image that the service serves, or of a smaller copy, as a pattern. */
export const MEDIA_PATH: string = String.raw`/media/${UUID}(?:-\d{1,5})?\.[a-z]+`

const WHOLE = new RegExp(`^${MEDIA_PATH}$`)

/** Returns true for the path of an image that the service serves: it has the same one on every host. */
export const isMediaPath = (text: string): boolean => WHOLE.test(text)

/** Resolves every relative address as the address of a Post does. */
const ANY_POST = "https://press.invalid/@author/post"

/** Returns the path that a percent-encoded one means. */
const decoded = (path: string) => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/**
 * Returns the path of an image of the service, from any address that leads to it: a path, or a URL of one of these hosts, read as
 * a browser does. Returns undefined for every other address. A query and a fragment change nothing.
 */
export const mediaPathOf = (address: string, hosts: ReadonlyArray<string>): string | undefined => {
  const url = URL.parse(address, ANY_POST)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  if (url.host !== "press.invalid" && !hosts.includes(url.host)) return undefined
  const path = decoded(url.pathname)
  return isMediaPath(path) ? path : undefined
}

/** The beginning of a path of an image in Markdown, after the characters that begin an address. */
const NAMED_BY_PATH = new RegExp(String.raw`(?=${MEDIA_PATH})(?<=\](?:\(|:)\s*<?)`, "g")

/** Returns Markdown that names images of the service by their URLs at `origin` where it has their paths. */
export const withMediaUrls = (markdown: string, origin: string): string =>
  markdown.includes("/media/") ? markdown.replaceAll(NAMED_BY_PATH, origin) : markdown

/** A path of an image in Markdown, after the characters that begin an address. */
const PATH_OF_IMAGE = new RegExp(String.raw`(?=${MEDIA_PATH})(?<=\](?:\(|:)\s*<?)${MEDIA_PATH}`, "g")

/** Returns Markdown with other addresses in place of the paths of images of the service; undefined keeps a path. */
export const withMediaNames = (markdown: string, nameOf: (path: string) => string | undefined): string =>
  markdown.replaceAll(PATH_OF_IMAGE, (path) => nameOf(path) ?? path)
