import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { PublicBaseUrl } from "../../../schemas/platform/errors/Problem.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { Post, PostPage, PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import { claimMembers, claimName, type IdempotencyClaim, noClaim } from "../../platform/idempotency/claim.ts"
import { firstJson, type JsonText } from "../../platform/sql/JsonText.ts"
import { quoted } from "../../platform/sql/literals.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import { emptyContent, type PostContent } from "./content.ts"
import type { NativeColumns } from "./editability.ts"
import { postJson } from "./postJson.ts"
import { type CategoryField, type PostRefusal, refusing } from "./postRefusal.ts"
import { PostRow } from "./postRow.ts"
import type { WantedSlug } from "./slug.ts"

export interface NewPost {
  readonly id: PostId
  readonly owner_id: OwnerId
  readonly content: PostContent
  readonly slug: WantedSlug
  /** How many numbers to pass over: those that were tried. */
  readonly tried: number
  readonly at: Date
}

export interface PostChange {
  readonly id: PostId
  readonly ownerId: OwnerId
  /** The revision that the change was computed from. */
  readonly revision: Timestamp
  readonly content: PostContent
  /** What becomes of the native documents; a section that is not named keeps its own byte for byte. */
  readonly native: NativeColumns
  /** Undefined keeps the slug. */
  readonly slug: WantedSlug | undefined
  readonly tried: number
  readonly at: Date
}

/** Columns that a new Post has a value for; the database has the others. */
const columnsOfInsert = [
  "id",
  "owner_id",
  ...(Object.keys(emptyContent) as ReadonlyArray<keyof PostContent>),
  "created_at",
  "updated_at"
] as const

const hasFiles = (...states: ReadonlyArray<string>) =>
  `exists (select from post_attachments a where a.post_id = p.id and a.state in (${states.map(quoted).join(", ")}))`

/** The columns of a {@link PostRow} that are not those of the Post by themselves. */
const columnOf: Readonly<Record<string, string>> = {
  updated_at: "wire_time(p.updated_at)",
  published_at: "wire_time(p.published_at)",
  price_raw: "p.price_raw::text",
  has_attachments: hasFiles("pending", "ready"),
  awaits_attachments: hasFiles("receiving"),
  name: "o.name",
  handle: "o.handle",
  payout_address: "o.payout_address"
}

/** Posts as their authors write them. */
export class PostsRepo extends Context.Service<
  PostsRepo,
  {
    /** None when the name of the request is taken: nothing was saved then. */
    readonly insert: (
      post: NewPost,
      claim: IdempotencyClaim | undefined
    ) => Effect.Effect<Option.Option<JsonText<Post>>, PostRefusal>
    readonly find: (owner: OwnerId, id: PostId) => Effect.Effect<Option.Option<PostRow>>
    /** As `find`; holds off every other change until the surrounding transaction ends. */
    readonly lock: (owner: OwnerId, id: PostId) => Effect.Effect<Option.Option<PostRow>>
    readonly read: (owner: OwnerId, id: string) => Effect.Effect<Option.Option<JsonText<Post>>>
    readonly list: (
      owner: OwnerId,
      query: { readonly status: PostStatus | undefined; readonly page: number; readonly perPage: number }
    ) => Effect.Effect<JsonText<PostPage>>
    /** None when the Post no longer has the revision. */
    readonly update: (change: PostChange) => Effect.Effect<Option.Option<JsonText<Post>>, PostRefusal>
    /** The categories of a content that there are not, by their names on the wire. */
    readonly unknownCategories: (content: PostContent) => Effect.Effect<ReadonlyArray<CategoryField>>
    /** Removes a locked draft for good. */
    readonly remove: (id: PostId) => Effect.Effect<void>
  }
>()("pennypress/publishing/posts/PostsRepo") {
  static readonly layer = Layer.effect(
    PostsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const baseUrl = yield* PublicBaseUrl

      const json = postJson(sql, baseUrl)

      /** `slug, slug_base, slug_number` of a new or changed Post; the next number is read at the end of an index. */
      const slugColumns = (ownerId: string, slug: WantedSlug, tried: number | string): Statement.Fragment => {
        if ("chosen" in slug)
          return sql`select ${slug.chosen}::text as slug, null::text as base, null::integer as number`
        return sql`
          select case when number = 1 then ${slug.base} else ${slug.base} || '-' || number end as slug,
            ${slug.base}::text as base, number
          from (
            select coalesce(max(slug_number), 0) + 1 + ${tried}::integer as number from posts
            where owner_id = ${ownerId} and slug_base = ${slug.base}) as next`
      }

      const columns = sql.literal(
        Object.keys(PostRow.fields)
          .map((name) => `${columnOf[name] ?? `p.${name}`} as ${name}`)
          .join(", ")
      )

      const select = (lock: string) =>
        SqlSchema.findOneOption({
          Request: Schema.Any,
          Result: PostRow,
          execute: ({ id, owner }: { readonly id: PostId; readonly owner: OwnerId }) => sql`
            select ${columns} from posts p join owners o on o.id = p.owner_id
            where p.id = ${id} and p.owner_id = ${owner} ${sql.literal(lock)}`
        })
      const find = select("")
      const lock = select("for no key update of p")

      /** Makes a Post of one statement: with a name that is claimed or without, under a chosen slug or a free one. */
      const insertOf = (isNamed: boolean, isChosen: boolean) =>
        prepared<{ readonly text: string }>(sql)(
          [...columnsOfInsert, ...claimMembers, "slug", "tried"],
          (it) => {
            const slug = isChosen ? { chosen: it.slug } : { base: it.slug }
            return sql`
            with claimed as (${isNamed ? claimName(sql, it) : sql`select 1`}),
            slug as (${slugColumns(it.owner_id, slug, it.tried)}),
            p as (
              insert into posts (${sql.literal(columnsOfInsert.join(", "))}, slug, slug_base, slug_number)
              select ${sql.csv(columnsOfInsert.map((name) => sql`${it[name]}`))}, slug.slug, slug.base, slug.number
              from claimed, slug
              returning *)
            select ${json}::text as text from p join owners o on o.id = p.owner_id`
          }
        )
      const inserts = {
        named: { chosen: insertOf(true, true), free: insertOf(true, false) },
        nameless: { chosen: insertOf(false, true), free: insertOf(false, false) }
      }

      return PostsRepo.of({
        insert: ({ at, content, id, owner_id, slug, tried }, claim) => {
          const statements = claim === undefined ? inserts.nameless : inserts.named
          const isChosen = "chosen" in slug
          return refusing(
            (isChosen ? statements.chosen : statements.free)({
              ...(claim ?? noClaim),
              ...content,
              id,
              owner_id,
              created_at: at,
              updated_at: at,
              slug: isChosen ? slug.chosen : slug.base,
              tried
            })
          ).pipe(Effect.map(firstJson))
        },

        find: Effect.fn("PostsRepo.find")((owner, id) => Effect.orDie(find({ id, owner }))),
        lock: Effect.fn("PostsRepo.lock")((owner, id) => Effect.orDie(lock({ id, owner }))),

        read: Effect.fn("PostsRepo.read")(function* (owner, id) {
          const rows = yield* sql<{ readonly text: string }>`
            select ${json}::text as text from posts p join owners o on o.id = p.owner_id
            where p.id = ${id} and p.owner_id = ${owner}`
          return firstJson(rows)
        }, Effect.orDie),

        list: Effect.fn("PostsRepo.list")(function* (owner, { page, perPage, status }) {
          const mine = sql`p.owner_id = ${owner}`
          const where = status === undefined ? mine : sql`${mine} and p.status = ${status}`
          const rows = yield* sql<{ readonly text: string }>`
            select json_build_object(
              'data', coalesce((
                select json_agg(${json} order by p.created_at desc, p.id desc)
                from (
                  select p.* from posts p where ${where}
                  order by p.created_at desc, p.id desc limit ${perPage} offset ${(page - 1) * perPage}
                ) p join owners o on o.id = p.owner_id), '[]'::json),
              'total', (select count(*) from posts p where ${where}),
              'page', ${page}::integer,
              'perPage', ${perPage}::integer)::text as text`
          return Option.getOrThrow(firstJson(rows))
        }, Effect.orDie),

        update: Effect.fn("PostsRepo.update")(function* ({
          at,
          content,
          id,
          native,
          ownerId,
          revision,
          slug,
          tried
        }) {
          const slugged =
            slug === undefined
              ? sql`select p.slug, p.slug_base as base, p.slug_number as number from posts p where p.id = ${id}`
              : slugColumns(ownerId, slug, tried)
          const assigned = Object.entries({ ...content, ...native }).map(
            ([name, value]) => sql`${sql.literal(name)} = ${value}`
          )
          const rows = yield* refusing(sql<{ readonly text: string }>`
            with slug as (${slugged}),
            p as (
              update posts p set ${sql.csv(assigned)},
                slug = slug.slug, slug_base = slug.base, slug_number = slug.number,
                updated_at = greatest(${at}::timestamptz, p.updated_at + interval '1 microsecond')
              from slug
              where p.id = ${id} and p.owner_id = ${ownerId} and p.updated_at = ${revision}::timestamptz
              returning p.*)
            select ${json}::text as text from p join owners o on o.id = p.owner_id`)
          return firstJson(rows)
        }),

        unknownCategories: Effect.fn("PostsRepo.unknownCategories")(function* (content) {
          const named = [
            ["primaryCategoryId", content.primary_category_id],
            ["secondaryCategoryId", content.secondary_category_id]
          ] as const
          const rows = yield* sql<{ readonly id: number }>`
            select id from categories
            where id in (${content.primary_category_id}::integer, ${content.secondary_category_id}::integer)`
          return named
            .filter(([, id]) => id !== null && !rows.some((row) => row.id === id))
            .map(([field]) => field)
        }, Effect.orDie),

        remove: Effect.fn("PostsRepo.remove")(
          (id) => sql`delete from posts where id = ${id}`,
          Effect.asVoid,
          Effect.orDie
        )
      })
    })
  )
}
