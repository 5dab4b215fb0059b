import slugify from "@sindresorhus/slugify"

/** Room in the 120 characters of a slug for the hyphen and the number that make it unique. */
const BASE_MAX = 108
/** What a title without a letter or digit becomes. */
export const SLUG_FALLBACK = "post"

/** A slug that its author chose, or one to be made unique from a base: `base`, `base-2`, `base-3`, …. */
export type WantedSlug = { readonly chosen: string } | { readonly base: string }

/** What a title becomes in a URL. */
export const slugBaseOfTitle = (title: string): string => {
  const cut = slugify(title.slice(0, 500)).slice(0, BASE_MAX).replace(/-+$/, "")
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(cut) ? cut : SLUG_FALLBACK
}
