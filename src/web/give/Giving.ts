import { Context, Effect, Layer, Option } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { givingStatements, type OwnRow } from "./giving.sql.ts"

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

const ownPostOf = ({ handle, id, is_for_sale, slug, title }: OwnRow): OwnPost => ({
  id,
  title,
  path: `/@${handle}/${slug}`,
  isForSale: is_for_sale
})

/** The Posts of an author, for the pages on which they give them. */
export class Giving extends Context.Service<
  Giving,
  {
    /** Returns a Post of the owner, whatever its state. */
    readonly post: (owner: OwnerId, id: PostId) => Effect.Effect<OwnPost, NotFound>
    /** Lists Posts that are for sale or have gifts, newest first. `next` is the Post after which there are more. */
    readonly posts: (
      owner: OwnerId,
      after: PostId | undefined
    ) => Effect.Effect<{ readonly posts: ReadonlyArray<OwnPost>; readonly next: PostId | null }>
  }
>()("pennypress/web/give/Giving") {
  static readonly layer = Layer.effect(
    Giving,
    Effect.gen(function* () {
      const statements = yield* givingStatements

      return Giving.of({
        post: Effect.fn("Giving.post")(function* (owner, id) {
          const row = yield* statements.post(owner, id)
          return Option.isSome(row) ? ownPostOf(row.value) : yield* new NotFound()
        }),
        posts: Effect.fn("Giving.posts")(function* (owner, after) {
          const rows = yield* statements.posts(owner, { after, limit: POSTS_MAX })
          const posts = rows.slice(0, POSTS_MAX).map(ownPostOf)
          return { posts, next: rows.length > POSTS_MAX ? (posts.at(-1)?.id ?? null) : null }
        })
      })
    })
  )
}
