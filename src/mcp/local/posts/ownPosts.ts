import { Effect } from "effect"
import type { Draft } from "../../../../schemas/mcp/local/draftTools.ts"
import type { PostId } from "../../../../schemas/platform/Ids.ts"
import { xnoOfRaw } from "../../../../schemas/platform/Nano.ts"
import type { Post } from "../../../../schemas/publishing/posts/Post.ts"
import { canonicalJson, sha256Hex } from "../intents/canonicalJson.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"

const charactersOf = (text: string | null) => (text === null ? 0 : [...text].length)

/** Returns an own Post as tools show it. */
export const draftOf = (post: Post): Draft => ({
  id: post.id,
  status: post.status,
  revision: post.updatedAt,
  url: post.url,
  title: post.title,
  description: post.description,
  slug: post.slug,
  access: post.enablePaywall ? "paid" : "free",
  priceRaw: post.priceRaw,
  priceXno: post.priceRaw === null ? null : xnoOfRaw(BigInt(post.priceRaw)),
  primaryCategoryId: post.primaryCategoryId,
  secondaryCategoryId: post.secondaryCategoryId,
  language: post.language,
  commentsEnabled: post.commentsEnabled,
  creationMethod: post.creationMethod,
  creationAttested: post.creationAttested,
  contentEditability: post.contentEditability,
  freeCharacters: charactersOf(post.freeContentMarkdown),
  paidCharacters: charactersOf(post.paidContentMarkdown),
  attachments: post.attachments.length
})

/** Returns the digest of the texts that readers of a Post get: a grant is only for these texts. */
export const digestOf = ({ description, freeContentMarkdown, paidContentMarkdown, title }: Post) =>
  sha256Hex(canonicalJson({ title, description, free: freeContentMarkdown, paid: paidContentMarkdown }))

/** Makes the function that reads an own Post from the service each time. */
export const makeReadOwn = Effect.gen(function* () {
  const sessions = yield* Sessions
  const { client } = yield* ServiceApi
  return { readOwn: (postId: PostId) => sessions.asPublisher(client.posts.read({ params: { postId } })) }
})
