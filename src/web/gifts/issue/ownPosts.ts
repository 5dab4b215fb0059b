import { Effect, Option } from "effect"
import { NotFound } from "../../../../schemas/platform/errors/common.ts"
import type { OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { giftPostStatements, type GiftPostRow } from "../../../payments/gifts/giftPosts.sql.ts"

/** Posts of a page, at most. */
const POSTS_MAX = 20

/** A Post that its author can give away. */
export interface OwnPost {
  readonly id: PostId
  readonly title: string
  /** The path of its public page. */
  readonly path: string
  /** True while gifts of it can be made. */
  readonly isForSale: boolean
}

const ownPostOf = ({ handle, id, is_for_sale, slug, title }: GiftPostRow): OwnPost => ({
  id,
  title,
  path: `/@${handle}/${slug}`,
  isForSale: is_for_sale
})

/** Makes the reader of an author's own Posts, for the pages on which they give them. */
export const makeOwnPosts = Effect.map(giftPostStatements, (statements) => ({
  /** Returns a Post of the owner, in any state. */
  post: Effect.fn("OwnPosts.post")(function* (owner: OwnerId, id: PostId) {
    const row = yield* statements.post(owner, id)
    return Option.isSome(row) ? ownPostOf(row.value) : yield* new NotFound()
  }),
  /** Lists Posts that are for sale or have gifts, newest first. `next` is the Post after which there are more. */
  posts: Effect.fn("OwnPosts.posts")(function* (owner: OwnerId, after: PostId | undefined) {
    const rows = yield* statements.posts(owner, { after, limit: POSTS_MAX })
    const posts = rows.slice(0, POSTS_MAX).map(ownPostOf)
    return { posts, next: rows.length > POSTS_MAX ? (posts.at(-1)?.id ?? null) : null }
  })
}))
