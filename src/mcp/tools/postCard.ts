import type { PostCard } from "../../../schemas/mcp/results.ts"
import type { Author, PostSummary } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { Cleaner } from "./untrusted.ts"

/** Returns an author as tools show them. */
export const authorCardOf = ({ authorKind, handle, name }: typeof Author.Type, cleaner: Cleaner) => ({
  handle,
  kind: authorKind,
  untrusted: { name: cleaner.text(name) }
})

/** Returns a published Post as tools show it: what its author wrote stands under `untrusted`, cleaned. */
export const postCardOf = (post: PostSummary, cleaner: Cleaner): PostCard => ({
  id: post.id,
  url: post.url,
  access: post.enablePaywall ? "paid" : "free",
  priceRaw: post.enablePaywall ? post.priceRaw : null,
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
