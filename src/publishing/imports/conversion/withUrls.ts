import { markdownWithoutUrls } from "../../content/removal/markdownWithoutUrls.ts"
import { urlsReplaced } from "./urls.ts"

/** The address that takes the place of a picture: another picture, or a link where its bytes are not here. */
export type PictureAddress =
  | { readonly picture: string }
  /** The public address of the source; null leaves the alternative text. */
  | { readonly link: string | null }

/** The addresses that change in a section, by those that its source has. */
export interface Exchange {
  readonly pictures: ReadonlyMap<string, PictureAddress>
  /** Null leaves the text of the link. */
  readonly links: ReadonlyMap<string, string | null>
}

/** The host of addresses that mark a place until it is changed. No text of an author leads there. */
const MARK = "https://place.import.invalid/"

/** The text of a link to a picture that has no alternative text. */
const UNTITLED = "Picture"

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")

/** Turns the picture at a mark into a link, or into its alternative text. */
const asLink = (markdown: string, mark: string, link: string | null): string => {
  const written = new RegExp(
    String.raw`!\[((?:\\.|[^\]\\])*)\]\(\s*<?${escaped(mark)}>?(\s+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))?\s*\)`,
    "gsu"
  )
  const replaced = markdown.replaceAll(written, (_, alt: string) => {
    if (link === null) return alt
    return `[${alt.trim() === "" ? UNTITLED : alt}](${mark})`
  })
  if (link === null) return replaced.includes(mark) ? markdownWithoutUrls(replaced, [mark]) : replaced
  // A picture that is written as a reference goes.
  const known = urlsReplaced(replaced, (url, kind) => (kind === "link" && url === mark ? link : undefined))
  return known.includes(mark) ? markdownWithoutUrls(known, [mark]) : known
}

/** Returns a section with other addresses. All else stays as it is. */
export const withUrls = (markdown: string, { links, pictures }: Exchange): string => {
  const marks = new Map<string, { readonly mark: string; readonly link: string | null }>()
  const dropped = new Map<string, string>()
  const mark = () => `${MARK}${marks.size + dropped.size}`
  const replaced = urlsReplaced(markdown, (url, kind) => {
    if (kind === "image") {
      const address = pictures.get(url)
      if (address === undefined) return undefined
      if ("picture" in address) return address.picture
      const known = marks.get(url) ?? { mark: mark(), link: address.link }
      marks.set(url, known)
      return known.mark
    }
    const address = links.get(url)
    if (address !== null) return address
    const known = dropped.get(url) ?? mark()
    dropped.set(url, known)
    return known
  })
  let result = replaced
  for (const it of marks.values()) result = asLink(result, it.mark, it.link)
  return dropped.size === 0 ? result : markdownWithoutUrls(result, [...dropped.values()])
}

/** Returns a section in which pictures have the address of the same one before, or are their alternative texts if that is null. */
export const withoutRepeats = (markdown: string, addresses: ReadonlyMap<string, string | null>): string => {
  const mark = `${MARK}0`
  const replaced = urlsReplaced(markdown, (url, kind) => {
    const address = kind === "image" ? addresses.get(url) : undefined
    return address === null ? mark : address
  })
  return replaced.includes(mark) ? asLink(replaced, mark, null) : replaced
}
