import type { Post } from "./Post.ts"

/**
 * Returns the sentence for a person who decides on a Post with a paid section that is not sold: publication makes that section
 * public. Null for every other Post.
 */
export const freedPartOf = ({
  enablePaywall,
  paidContentMarkdown: text
}: Pick<Post, "enablePaywall" | "paidContentMarkdown">): string | null =>
  enablePaywall || text === null || text === ""
    ? null
    : `The part for buyers becomes public, because the post isn't sold: ${[...text].length.toLocaleString("en")} characters.`
