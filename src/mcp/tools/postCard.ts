import type { PostCard } from "../../../schemas/mcp/results.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { Author, PostSummary } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { Cleaner } from "./untrusted.ts"

/** Returns an author as tools show them. */
export const authorCardOf = ({ authorKind, handle, name }: typeof Author.Type, cleaner: Cleaner) => ({
  handle,
  kind: authorKind,
  untrusted: { name: cleaner.text(name) }
})

/** Returns the offer of a paid Post: its price in XNO, and the address at this origin that sells it. */
const offerOf = ({ enablePaywall, id, priceRaw }: PostSummary, origin: string) =>
  enablePaywall && priceRaw !== null
    ? { priceXno: xnoOfRaw(BigInt(priceRaw)), accessUrl: `${origin}/api/posts/${id}/access` }
    : {}

/** Returns a published Post as tools show it: what its author wrote stands under `untrusted`, cleaned. */
export const postCardOf = (post: PostSummary, cleaner: Cleaner, origin: string): PostCard => ({
  id: post.id,
  url: post.url,
  access: post.enablePaywall ? "paid" : "free",
  priceRaw: post.enablePaywall ? post.priceRaw : null,
  ...offerOf(post, origin),
  language: post.language,
  categoryIds:
    post.secondaryCategoryId === null
      ? [post.primaryCategoryId]
      : [post.primaryCategoryId, post.secondaryCategoryId],
  publishedAt: post.publishedAt,
  revision: post.updatedAt,
  author: { id: post.author.id, handle: post.author.handle, kind: post.author.authorKind },
  creationMethod: post.creationMethod,
  counts: post.counts,
  untrusted: {
    title: cleaner.text(post.title),
    description: cleaner.text(post.description),
    authorName: cleaner.text(post.author.name),
    creationDetails: cleaner.nullable(post.creationDetails)
  }
})
