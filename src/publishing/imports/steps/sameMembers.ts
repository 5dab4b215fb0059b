import { MEDIA_PATH } from "../../../../schemas/platform/mediaPath.ts"
import type { PostRow } from "../../posts/postRow.ts"
import type { ImportedItem } from "../ImportedItem.ts"

/** The path of a picture of the service. */
const OWN_PICTURE = new RegExp(MEDIA_PATH, "gi")

/** The beginning of an address up to its path, at the end of a text. */
const ORIGIN = /https?:\/\/[^\s()<>"']*$/i

/** Characters before the path of a picture in which its address begins. */
const ORIGIN_LENGTH_MAX = 300

/** Returns a text without the addresses of pictures of the service, on any host. */
export const withoutOwnPictures = (text: string): string => {
  const parts: Array<string> = []
  let end = 0
  for (const { 0: path, index } of text.matchAll(OWN_PICTURE)) {
    const before = text.slice(Math.max(end, index - ORIGIN_LENGTH_MAX), index)
    parts.push(text.slice(end, index - (ORIGIN.exec(before)?.[0].length ?? 0)))
    end = index + path.length
  }
  return [...parts, text.slice(end)].join("")
}

const blank = (text: string | null) => (text ?? "").trim()

/**
 * Returns true when a file of our own export has the members that its Post has now. Pictures count by their places, as the
 * export names them in another way.
 */
export const isSameAsPost = ({ draft, images }: ImportedItem, post: PostRow): boolean => {
  const urls = images.filter(({ place }) => place === "text").map(({ url }) => url)
  const imported = (section: string) =>
    blank(withoutOwnPictures(urls.reduce((text, url) => text.replaceAll(url, ""), section)))
  const written = (section: string | null) => blank(withoutOwnPictures(blank(section)))
  return (
    imported(draft.freeContent) === written(post.free_content_markdown) &&
    imported(draft.paidContent) === written(post.paid_content_markdown) &&
    draft.title === post.title &&
    draft.description === post.description &&
    blank(draft.canonicalUrl) === blank(post.canonical_url) &&
    blank(draft.ogTitle) === blank(post.og_title) &&
    blank(draft.ogDescription) === blank(post.og_description) &&
    (draft.language ?? post.language) === post.language &&
    (draft.commentsEnabled ?? post.comments_enabled) === post.comments_enabled &&
    (draft.mailReaders ?? post.mail_readers) === post.mail_readers
  )
}
