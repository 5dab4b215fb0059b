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

const PaymentsRow = Schema.Struct({ purchases: Schema.Int, tips: Schema.Int })
const CategoryRow = Schema.Struct({ id: Schema.Int })
const PublishedRow = Schema.Struct({ published_at: Timestamp })

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
    /** Returns a page of Posts, the newest first; see {@link listPosts}. */
    readonly list: (owner: OwnerId, query: PostsQuery) => Effect.Effect<PostRows>
    /** Saves a change. Returns none when the Post no longer has the revision of the change. */
    readonly update: (change: PostChange) => Effect.Effect<Option.Option<PostRow>, ViolatedConstraint>
    /** Publishes a locked draft. Returns the time of publication. */
    readonly publish: (id: PostId, at: Date) => Effect.Effect<Timestamp>
    /** Makes a locked public Post a draft. */
    readonly unpublish: (id: PostId, at: Date) => Effect.Effect<void>
    /** Saves an OG image; see `OgImages.set`. */
    readonly setOgImage: (image: OgImage) => Effect.Effect<boolean>
    /** Returns the members of a content that name an unknown category. */
    readonly unknownCategories: (content: PostContent) => Effect.Effect<ReadonlyArray<CategoryField>>
    /** Counts the payments for a Post. */
    readonly payments: (id: PostId) => Effect.Effect<typeof PaymentsRow.Type>
    /** Removes a locked draft. */
    readonly remove: (id: PostId) => Effect.Effect<void>
  }
>()("pennypress/publishing/posts/PostsRepo") {
  static readonly layer = Layer.effect(
    PostsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { changed, many, maybe, one, run } = statements(sql, "PostsRepo")
      const columns = sql.literal(postColumns)

      return PostsRepo.of({
        insert: insertPost(sql),
        list: listPosts(sql),
        update: updatePost(sql),

        find: (owner, id) => maybe("find", PostRow)`
          select ${columns} from posts p join owners o on o.id = p.owner_id
          where p.id = ${id} and p.owner_id = ${owner}`,

        lock: (owner, id) => maybe("lock", PostRow)`
          select ${columns} from posts p join owners o on o.id = p.owner_id
          where p.id = ${id} and p.owner_id = ${owner} for no key update of p`,

        sections: (owner, id) => maybe("sections", SectionsRow)`
          select wire_time(updated_at) as updated_at,
            free_content_native::text as free_content_native, free_content_markdown,
            paid_content_native::text as paid_content_native, paid_content_markdown
          from posts where id = ${id} and owner_id = ${owner}`,

        publish: (id, at) =>
          Effect.map(
            one("publish", PublishedRow)`
              update posts p set status = 'published', published_at = ${at}, updated_at = ${nextRevision(sql, at)}
              where p.id = ${id} returning wire_time(p.published_at) as published_at`,
            ({ published_at }) => published_at
          ),

        unpublish: (id, at) => run("unpublish")`
          update posts p set status = 'draft', published_at = null, updated_at = ${nextRevision(sql, at)}
          where p.id = ${id}`,

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

        payments: (id) => one("payments", PaymentsRow)`
          select purchase_count as purchases, tip_count as tips from posts where id = ${id}`,

        remove: (id) => run("remove")`delete from posts where id = ${id}`
      })
    })
  )
}
