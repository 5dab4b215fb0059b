import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, type PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"
import type { PostContent } from "./content.ts"
import { nextRevision } from "./nextRevision.sql.ts"
import { postColumns, PostRow } from "./postRow.ts"
import { movePublishedCounts, type CountedPost } from "./publishedCounts.sql.ts"

/** The sections of a Post: the native documents as JSON where another service wrote them, and the Markdown. */
const SectionsRow = Schema.Struct({
  updated_at: Timestamp,
  free_content_native: Schema.NullOr(Schema.String),
  free_content_markdown: Schema.NullOr(Schema.String),
  paid_content_native: Schema.NullOr(Schema.String),
  paid_content_markdown: Schema.NullOr(Schema.String)
})

const PublicRow = Schema.Struct({ owner_id: OwnerId, og_image: Schema.NullOr(Schema.String) })
const PublicationFactsRow = Schema.Struct({
  was_public: Schema.Boolean,
  dated_at: Schema.NullOr(Timestamp),
  is_scheduled: Schema.Boolean
})
const ChosenRow = Schema.Struct({ language_chosen: Schema.Boolean })
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

/** Statements over single Posts as their authors write them. */
export const postStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, run } = statements(sql, "posts")

  const find = (owner: OwnerId, id: string) => maybe("find", PostRow)`
    select ${sql.literal(postColumns)} from posts p join owners o on o.id = p.owner_id
    where p.id = ${id} and p.owner_id = ${owner}`

  return {
    find,

    /**
     * Finds a Post and locks it until the surrounding transaction ends. Reads it by a statement of its own, because a
     * statement that waits for a row reads other tables as they were before.
     */
    lock: (owner: OwnerId, id: PostId) =>
      Effect.andThen(
        run("lock")`select from posts where id = ${id} and owner_id = ${owner} for no key update`,
        find(owner, id)
      ),

    /** Finds a Post that is public. */
    public: (id: PostId) =>
      maybe("public", PublicRow)`select owner_id, og_image from public_posts where id = ${id}`,

    /** Returns the facts from which the kind of the next publication of a Post follows. */
    publicationFacts: (owner: OwnerId, id: PostId) => maybe("publicationFacts", PublicationFactsRow)`
      select p.first_published_at is not null as was_public, wire_time(p.dated_at) as dated_at,
        exists (select from scheduled_publications s where s.id = p.id and s.failure is null) as is_scheduled
      from posts p where p.id = ${id} and p.owner_id = ${owner}`,

    isLanguageChosen: (owner: OwnerId, id: PostId) =>
      Effect.map(
        maybe("isLanguageChosen", ChosenRow)`
          select language_chosen from posts where id = ${id} and owner_id = ${owner}`,
        Option.exists(({ language_chosen }) => language_chosen)
      ),

    /** Remembers whether the author chose the language of a Post. The revision stays. */
    chooseLanguage: (owner: OwnerId, id: PostId, isChosen: boolean) => run("chooseLanguage")`
      update posts set language_chosen = ${isChosen}
      where id = ${id} and owner_id = ${owner} and language_chosen <> ${isChosen}`,

    sections: (owner: OwnerId, id: PostId) => maybe("sections", SectionsRow)`
      select wire_time(updated_at) as updated_at,
        free_content_native::text as free_content_native, free_content_markdown,
        paid_content_native::text as paid_content_native, paid_content_markdown
      from posts where id = ${id} and owner_id = ${owner}`,

    /** Moves a public Post from the counts of its earlier categories to those of its later ones. */
    moveCounts: Effect.fn("posts.moveCounts")(function* (before: CountedPost, after: CountedPost) {
      const move = movePublishedCounts(sql, [before], [after])
      if (move === undefined) return
      const rows = yield* Effect.orDie(move)
      if (rows.length !== 1) return yield* Effect.die(new Error("The move was not counted"))
    }),

    /** Saves an OG image; see `OgImages.set`. */
    setOgImage: ({ at, postId, replaces, url }: OgImage) => {
      const mayReplace =
        replaces === undefined
          ? sql`true`
          : sql`(p.og_image is not distinct from ${replaces}::text or p.og_image = ${url})`
      return changed("setOgImage")`
        update posts p set og_image = ${url},
          updated_at = case when p.og_image = ${url} then p.updated_at else ${nextRevision(sql, at)} end
        where p.id = ${postId} and ${mayReplace}`
    },

    /** Returns the members of a content that name an unknown category. */
    unknownCategories: Effect.fnUntraced(function* ({
      primary_category_id,
      secondary_category_id
    }: PostContent) {
      const known = yield* many("unknownCategories", CategoryRow)`
        select id from categories
        where id in (${primary_category_id}::integer, ${secondary_category_id}::integer)`
      const isUnknown = (id: number | null) => id !== null && !known.some((row) => row.id === id)
      const primary = isUnknown(primary_category_id) ? (["primaryCategoryId"] as const) : []
      const secondary = isUnknown(secondary_category_id) ? (["secondaryCategoryId"] as const) : []
      return [...primary, ...secondary]
    }),

    /** Removes a locked draft. */
    remove: (id: PostId) => run("remove")`delete from posts where id = ${id}`
  }
})
