import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { IdempotencyClaim } from "../../platform/idempotency/claim.ts"
import { statements } from "../../platform/sql/statements.ts"
import type { PostContent } from "./content.ts"
import { insertPost, type NewPost } from "./insertPost.sql.ts"
import { listPosts, type PostRows, type PostsQuery } from "./listPosts.sql.ts"
import { nextRevision } from "./nextRevision.sql.ts"
import { postColumns, PostRow } from "./postRow.ts"
import { movePublishedCounts, type PostCategories } from "./publishedCounts.sql.ts"
import { type PostChange, updatePost } from "./updatePost.sql.ts"
import type { CategoryField, ViolatedConstraint } from "./writeErrors.ts"

/** The sections of a Post: the native documents as JSON where another service wrote them, and the Markdown. */
export const SectionsRow = Schema.Struct({
  updated_at: Timestamp,
  free_content_native: Schema.NullOr(Schema.String),
  free_content_markdown: Schema.NullOr(Schema.String),
  paid_content_native: Schema.NullOr(Schema.String),
  paid_content_markdown: Schema.NullOr(Schema.String)
})
export type SectionsRow = typeof SectionsRow.Type

const CategoryRow = Schema.Struct({ id: Schema.Int })

/** A new OG image for a Post. */
export interface OgImage {
  readonly postId: PostId
  /** The URL to save as `ogImage`. */
  readonly url: string
  /** The `ogImage` that the new one may replace; absent replaces any. */
  readonly replaces?: string | null
  readonly at: Date
}

/** Posts as their authors write them. */
export class PostsRepo extends Context.Service<
  PostsRepo,
  {
    /** Inserts a draft. Returns none when its Idempotency-Key is taken: nothing was saved then. */
    readonly insert: (
      post: NewPost,
      claim: IdempotencyClaim | undefined
    ) => Effect.Effect<Option.Option<PostRow>, ViolatedConstraint>
    readonly find: (owner: OwnerId, id: string) => Effect.Effect<Option.Option<PostRow>>
    /** Finds a Post and locks it until the surrounding transaction ends. */
    readonly lock: (owner: OwnerId, id: PostId) => Effect.Effect<Option.Option<PostRow>>
    readonly sections: (owner: OwnerId, id: PostId) => Effect.Effect<Option.Option<SectionsRow>>
    /** Returns a page of Posts, newest first; see {@link listPosts}. */
    readonly list: (owner: OwnerId, query: PostsQuery) => Effect.Effect<PostRows>
    /** Saves a change. Returns none when the Post no longer has the revision of the change. */
    readonly update: (change: PostChange) => Effect.Effect<Option.Option<PostRow>, ViolatedConstraint>
    /** Moves a public Post from the counts of its earlier categories to those of its later ones. */
    readonly moveCounts: (before: PostCategories, after: PostCategories) => Effect.Effect<void>
    /** Saves an OG image; see `OgImages.set`. */
    readonly setOgImage: (image: OgImage) => Effect.Effect<boolean>
    /** Returns the members of a content that name an unknown category. */
    readonly unknownCategories: (content: PostContent) => Effect.Effect<ReadonlyArray<CategoryField>>
    /** Removes a locked draft. */
    readonly remove: (id: PostId) => Effect.Effect<void>
  }
>()("pennypress/publishing/posts/PostsRepo") {
  static readonly layer = Layer.effect(
    PostsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { changed, many, maybe, run } = statements(sql, "PostsRepo")
      const columns = sql.literal(postColumns)

      const find: PostsRepo["Service"]["find"] = (owner, id) => maybe("find", PostRow)`
        select ${columns} from posts p join owners o on o.id = p.owner_id
        where p.id = ${id} and p.owner_id = ${owner}`

      return PostsRepo.of({
        insert: insertPost(sql),
        list: listPosts(sql),
        update: updatePost(sql),

        find,

        // Read by a statement of its own, because a statement that waits for a row reads other tables as they were
        // before.
        lock: (owner, id) =>
          Effect.andThen(
            run("lock")`select from posts where id = ${id} and owner_id = ${owner} for no key update`,
            find(owner, id)
          ),

        sections: (owner, id) => maybe("sections", SectionsRow)`
          select wire_time(updated_at) as updated_at,
            free_content_native::text as free_content_native, free_content_markdown,
            paid_content_native::text as paid_content_native, paid_content_markdown
          from posts where id = ${id} and owner_id = ${owner}`,

        moveCounts: Effect.fn("PostsRepo.moveCounts")(function* (before, after) {
          const move = movePublishedCounts(sql, [before], [after])
          if (move === undefined) return
          const rows = yield* Effect.orDie(move)
          if (rows.length !== 1) return yield* Effect.die(new Error("The move was not counted"))
        }),

        setOgImage: ({ at, postId, replaces, url }) => {
          const mayReplace =
            replaces === undefined
              ? sql`true`
              : sql`(p.og_image is not distinct from ${replaces}::text or p.og_image = ${url})`
          return changed("setOgImage")`
            update posts p set og_image = ${url},
              updated_at = case when p.og_image = ${url} then p.updated_at else ${nextRevision(sql, at)} end
            where p.id = ${postId} and ${mayReplace}`
        },

        unknownCategories: Effect.fnUntraced(function* ({ primary_category_id, secondary_category_id }) {
          const known = yield* many("unknownCategories", CategoryRow)`
            select id from categories
            where id in (${primary_category_id}::integer, ${secondary_category_id}::integer)`
          const isUnknown = (id: number | null) => id !== null && !known.some((row) => row.id === id)
          const primary = isUnknown(primary_category_id) ? (["primaryCategoryId"] as const) : []
          const secondary = isUnknown(secondary_category_id) ? (["secondaryCategoryId"] as const) : []
          return [...primary, ...secondary]
        }),

        remove: (id) => run("remove")`delete from posts where id = ${id}`
      })
    })
  )
}
