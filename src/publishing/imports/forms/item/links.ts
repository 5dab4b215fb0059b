import type { ImportSite, ItemLink } from "../../ImportedItem.ts"
import { slugOf } from "./fields.ts"

/** The place from which relative addresses lead on. */
export interface LinkBase {
  readonly site: ImportSite
  /** The entry of an archive, or null. */
  readonly sourcePath: string | null
  readonly sourceUrl: string | null
  /** True for archives in which relative addresses lead to other files. */
  readonly isBetweenFiles: boolean
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const hostOf = (url: URL) => url.host.toLowerCase().replace(/^www\./, "")

/** Returns a path without what may differ between spellings: its last slash, `index.html`, the case of escapes. */
const spelledPath = (path: string) =>
  decoded(path)
    .normalize("NFC")
    .replace(/\/index\.html?$/i, "/")
    .replace(/\.html?$/i, "")
    .replace(/\/+$/, "") || "/"

const MEDIUM_ID = /(?:^|[/-])([0-9a-f]{10,12})$/

const parsed = (url: string) => (/^https?:\/\//i.test(url) ? URL.parse(url) : null)

/** Returns the folder of an entry, with its last slash. */
const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1)

/** Resolves a relative path against the folder of an entry; undefined above the first folder. */
export const resolvedPath = (path: string, from: string): string | undefined => {
  const parts: Array<string> = path.startsWith("/") ? [] : folderOf(from).split("/").slice(0, -1)
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join("/")
}

const fileKey = (path: string) =>
  `file:${path
    .normalize("NFC")
    .replace(/\.(?:md|markdown|mdown|mdx|qmd|txt|html?)$/i, "")
    .replace(/\/(?:_?index|README)$/i, "")}`

/** Returns keys of an address by which an item of the same file may be found. */
export const addressKeys = (address: string, site: ImportSite): ReadonlyArray<string> => {
  const url = parsed(address)
  if (url === null)
    return address.startsWith("/") ? [`path:${spelledPath(address.replace(/[?#].*$/su, ""))}`] : []
  const keys = [`url:${hostOf(url)}${spelledPath(url.pathname)}`]
  const home = site.url === null ? null : parsed(site.url)
  const isHome = home !== null && hostOf(home) === hostOf(url)
  if (isHome) keys.push(`path:${spelledPath(url.pathname)}`)
  const id = url.searchParams.get("p") ?? url.searchParams.get("page_id")
  if (id !== null && /^\d{1,20}$/.test(id)) return isHome || home === null ? [`p:${id}`] : []
  const medium = MEDIUM_ID.exec(url.pathname)?.[1]
  if (medium !== undefined) keys.push(`medium:${medium}`)
  return keys
}

/** Returns keys of an item by its place in the archive. */
export const pathKeys = (path: string): ReadonlyArray<string> => [fileKey(path)]

const slugIn = (path: string) => {
  const name = path.split("/").findLast((part) => part !== "") ?? ""
  return slugOf(
    name.replace(/\.(?:md|markdown|mdown|mdx|qmd|txt|html?)$/i, "").replace(/^\d{4}-\d{2}-\d{2}-/, "")
  ).slug
}

/** Returns a link of an item that may lead to another item; undefined for other links. */
export const itemLink = (address: string, base: LinkBase): ItemLink | undefined => {
  if (address.startsWith("#") || /^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(address)) return undefined
  const at = address.indexOf("#")
  const fragment = at < 0 ? "" : address.slice(at)
  const target = (at < 0 ? address : address.slice(0, at)).replace(/^__GHOST_URL__/, "") || "/"
  const { isBetweenFiles, site, sourcePath, sourceUrl } = base
  const home = site.url === null ? null : parsed(site.url)
  const absolute = target.startsWith("//") ? parsed(`https:${target}`) : parsed(target)
  if (absolute !== null) {
    const isHome = home !== null && hostOf(home) === hostOf(absolute)
    const keys = addressKeys(absolute.href, site)
    const isMedium = keys.some((key) => key.startsWith("medium:"))
    if (home !== null && !isHome && !isMedium) return undefined
    return {
      url: address,
      keys,
      slug: isHome ? slugIn(absolute.pathname) : null,
      fragment,
      absolute: absolute.href + fragment,
      path: isHome ? absolute.pathname + absolute.search : null
    }
  }
  const path = target.replace(/\?.*$/su, "")
  const query = target.slice(path.length)
  const keys: Array<string> = []
  if (isBetweenFiles && sourcePath !== null) {
    const resolved = resolvedPath(decoded(path), sourcePath)
    if (resolved !== undefined) keys.push(fileKey(resolved))
  }
  const from = sourceUrl ?? site.url
  const resolved = from === null ? null : URL.parse(target, from)
  const rooted = resolved === null ? (path.startsWith("/") ? path : null) : resolved.pathname
  if (rooted !== null) keys.push(`path:${spelledPath(rooted)}`)
  const id = /^\?(?:.*&)?(?:p|page_id)=(\d{1,20})(?:&|$)/.exec(query)?.[1]
  if (id !== undefined) keys.push(`p:${id}`)
  return {
    url: address,
    keys,
    slug: slugIn(path),
    fragment,
    absolute: resolved === null ? null : resolved.href + fragment,
    path: rooted === null ? null : rooted + query
  }
}
