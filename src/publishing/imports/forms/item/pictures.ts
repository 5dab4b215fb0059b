import type { EmbeddedPictures } from "../../conversion/html/walk.ts"
import type { ImageSource, ImportFile, ImportSite } from "../../ImportedItem.ts"
import { resolvedPath } from "./links.ts"

/** Folders in which site generators and platforms keep pictures. */
const ROOTS = [
  "",
  "static/",
  "public/",
  "assets/",
  "content/images/",
  "content/",
  "wp-content/uploads/",
  "uploads/",
  "src/",
  "media/"
]

/** Finds the entry of a picture by its address in a text. */
export interface PictureEntries {
  readonly entryOf: (path: string, from: string | null) => string | undefined
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Prepares the search for pictures in a file. Names are compared exactly, then by the unique end of a path. */
export const pictureEntries = (file: ImportFile): PictureEntries => {
  if (!file.isArchive) return { entryOf: () => undefined }
  const names = new Set(file.entries.map(({ name }) => name))
  const first = sharedFolder(file.entries.map(({ name }) => name))
  const byName = new Map<string, string | null>()
  for (const name of names) {
    const last = name.slice(name.lastIndexOf("/") + 1).toLowerCase()
    byName.set(last, byName.has(last) ? null : name)
  }
  const bySuffix = new Map<string, string>()
  for (const name of names) {
    const at = name.search(/(?:content\/images|uploads)\//)
    if (at >= 0) bySuffix.set(name.slice(at).replace(/^content\/images/, "images"), name)
  }
  const find = (path: string, from: string | null) => {
    const relative = from === null || path.startsWith("/") ? undefined : resolvedPath(path, from)
    if (relative !== undefined && names.has(relative)) return relative
    const rooted = resolvedPath(path, "")
    if (rooted === undefined) return undefined
    for (const root of ROOTS) {
      for (const start of first === "" ? [""] : [first, ""])
        if (names.has(`${start}${root}${rooted}`)) return `${start}${root}${rooted}`
    }
    const at = rooted.search(/(?:content\/images|uploads)\//)
    const suffix = at < 0 ? undefined : bySuffix.get(rooted.slice(at).replace(/^content\/images/, "images"))
    if (suffix !== undefined) return suffix
    // The shortest unique name of Obsidian.
    return rooted.includes("/") ? undefined : (byName.get(rooted.toLowerCase()) ?? undefined)
  }
  return {
    entryOf: (address, from) => {
      const path = address.replace(/[?#].*$/su, "").normalize("NFC")
      return find(path, from) ?? find(decoded(path).normalize("NFC"), from)
    }
  }
}

/** Returns the first folder that all names share, with its slash, or an empty text. */
export const sharedFolder = (names: ReadonlyArray<string>): string => {
  const first = names[0] ?? ""
  const folder = first.slice(0, first.indexOf("/") + 1)
  return folder !== "" && names.every((name) => name.startsWith(folder)) ? folder : ""
}

/** Returns the place of a picture's bytes. An absolute address of the site itself may be an entry of the archive. */
export const pictureSource = (
  url: string,
  given: {
    readonly pictures: EmbeddedPictures
    readonly entries: PictureEntries
    readonly sourcePath: string | null
    readonly site: ImportSite
  }
): ImageSource => {
  const embedded = given.pictures.byUrl.get(url)
  if (embedded !== undefined) return embedded
  const absolute = /^https?:\/\//i.test(url)
    ? URL.parse(url)
    : url.startsWith("//")
      ? URL.parse(`https:${url}`)
      : null
  if (absolute !== null) {
    const isOwn = given.site.url !== null && URL.parse(given.site.url)?.host === absolute.host
    const entry =
      isOwn || /\/(?:content\/images|wp-content\/uploads)\//.test(absolute.pathname)
        ? given.entries.entryOf(absolute.pathname, null)
        : undefined
    return entry === undefined ? { url: absolute.href } : { entry }
  }
  const path = url.replace(/^__GHOST_URL__/, "")
  const entry = given.entries.entryOf(path, given.sourcePath)
  if (entry !== undefined) return { entry }
  const whole = given.site.url === null ? null : URL.parse(path, given.site.url)
  return whole === null || !/^https?:$/.test(whole.protocol) ? { missing: path } : { url: whole.href }
}
