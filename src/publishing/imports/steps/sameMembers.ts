import { MEDIA_PATH } from "../../../../schemas/platform/mediaPath.ts"
import type { PostRow } from "../../posts/postRow.ts"
import type { ImportedItem } from "../ImportedItem.ts"

/** An address of a picture of the service, on any host. */
const OWN_PICTURE = new RegExp(String.raw`(?:https?://[^\s()<>"']*)?${MEDIA_PATH}`, "gi")

const blank = (text: string | null) => (text ?? "").trim()

/**
 * Returns true when a file of our own export has the members that its Post has now. Pictures count by their places, as the
 * export names them in another way.
 */
export const isSameAsPost = ({ draft, images }: ImportedItem, post: PostRow): boolean => {
  const urls = images.filter(({ place }) => place === "text").map(({ url }) => url)
  const imported = (section: string) =>
    blank(urls.reduce((text, url) => text.replaceAll(url, ""), section).replaceAll(OWN_PICTURE, ""))
  const written = (section: string | null) => blank(blank(section).replaceAll(OWN_PICTURE, ""))
  return (
    imported(draft.freeContent) === written(post.free_content_markdown) &&
    imported(draft.paidContent) === written(post.paid_content_markdown) &&
    draft.title === post.title &&
    draft.description === post.description &&
    blank(draft.canonicalUrl) === blank(post.canonical_url) &&
    blank(draft.ogTitle) === blank(post.og_title) &&
    blank(draft.ogDescription) === blank(post.og_description) &&
    (draft.language ?? post.language) === post.language &&
    (draft.commentsEnabled ?? post.comments_enabled) === post.comments_enabled
  )
}
