import type { SocialLink, SocialLinkInput } from "../../../schemas/accounts/profile/Profile.ts"

/** Labels, in lower case, of the only network that has a category of its own. */
const X_LABELS: ReadonlySet<string> = new Set(["x", "twitter"])

// NFKC, because many write the network's own sign, 𝕏.
const categoryOf = (label: string): SocialLink["label"] =>
  X_LABELS.has(label.normalize("NFKC").toLowerCase()) ? "X" : "Custom"

/** Links as they are saved: `X` or `Custom` for a label, and the first of each category (spec 4.2.4). */
export const savedSocialLinks = (links: ReadonlyArray<SocialLinkInput>): ReadonlyArray<SocialLink> => {
  const saved: Array<SocialLink> = []
  for (const { label, url } of links) {
    const category = categoryOf(label)
    if (!saved.some((link) => link.label === category)) saved.push({ label: category, url })
  }
  return saved
}
