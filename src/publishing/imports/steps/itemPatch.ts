import type { ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import type { PostDraft, PostPatch } from "../../../../schemas/publishing/posts/PostDraft.ts"
import type { PostRow } from "../../posts/postRow.ts"
import type { ItemNative } from "../ImportedItem.ts"
import { metaLine } from "../rows/reportLines.ts"

/** Returns a line for each section of a Post that Markdown cannot say all of, so that newer text does not replace it. */
export const lockedLines = (post: PostRow, patch: PostPatch): ReadonlyArray<ReportLine> =>
  (["free", "paid"] as const).flatMap((section) => {
    const features = post[`${section}_unsupported`]
    if (features.length === 0 || patch[`${section}ContentMarkdown`] === undefined) return []
    const found = `The ${section} section here has what Markdown cannot say (${features.join(", ")}), so the text of the file does not replace it.`
    const advice =
      "Change it with the program that wrote it, or delete the post here and apply this item again."
    return metaLine("stop", "not_applied", `${found} ${advice}`, "", section)
  })

/**
 * Returns a line for each section that came without what Markdown cannot say, or not at all: one that has such things in its
 * Post stays as it was.
 */
export const droppedLines = (
  post: PostRow | undefined,
  sections: ReadonlyArray<"free" | "paid">
): ReadonlyArray<ReportLine> =>
  sections.map((section) => {
    if (post === undefined || post[`${section}_unsupported`].length === 0)
      return metaLine(
        "lost",
        "native_dropped",
        "What Markdown cannot say of the section was left out.",
        "",
        section
      )
    const message = `The ${section} section here was not replaced, as the one of the file could not come whole. Apply this item again.`
    return metaLine("stop", "not_applied", message, "", section)
  })

/** Returns the patch of the members that an import writes. Those that belong to the author stay, and documents come later. */
export const patchOf = (
  draft: PostDraft,
  post: PostRow,
  cover: string | null,
  native: ItemNative | null
): PostPatch => {
  const isFreeNative = (native?.free ?? null) !== null && post.free_unsupported.length > 0
  const isPaidNative = (native?.paid ?? null) !== null && post.paid_unsupported.length > 0
  const isWalledNow = draft.enablePaywall === true && !post.paywall_requested
  return {
    title: draft.title ?? "",
    description: draft.description ?? "",
    ...(isFreeNative ? {} : { freeContentMarkdown: draft.freeContentMarkdown ?? null }),
    ...(isPaidNative ? {} : { paidContentMarkdown: draft.paidContentMarkdown ?? null }),
    canonicalUrl: draft.canonicalUrl ?? null,
    ogTitle: draft.ogTitle ?? null,
    ogDescription: draft.ogDescription ?? null,
    ogImage: cover,
    ...(draft.language === undefined ? {} : { language: draft.language }),
    ...(draft.commentsEnabled === undefined ? {} : { commentsEnabled: draft.commentsEnabled }),
    ...(draft.mailReaders === undefined ? {} : { mailReaders: draft.mailReaders }),
    ...(isWalledNow ? { enablePaywall: true } : {}),
    ...(draft.enablePaywall === true && post.price_raw === null && draft.priceXno !== undefined
      ? { priceXno: draft.priceXno }
      : {})
  }
}
