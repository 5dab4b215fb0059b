import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { PublicBaseUrl } from "../../../schemas/platform/errors/Problem.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type {
  Categories,
  CategoryCounts,
  PublicContent,
  PublicPost,
  PublicProfile,
  PublicProfileSummary
} from "../../../schemas/publishing/discovery/Discovery.ts"
import { type EtaggedText, firstJson, type PublicJson, withEtag } from "../../platform/sql/JsonText.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import { statements } from "../../platform/sql/statements.ts"
import { publicText, summaryMembers } from "./summaryJson.sql.ts"

/** The columns of a Post's public page. The text of a paid Post is its teaser. */
export const PostPageRow = Schema.Struct({
  id: PostId,
  title: Schema.String,
  description: Schema.String,
  name: Schema.String,
  price_raw: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String)
})
export type PostPageRow = typeof PostPageRow.Type

/** The columns of an author's public page, with the newest Posts. */
export const ProfilePageRow = Schema.Struct({
  name: Schema.String,
  handle: Schema.String,
  bio: Schema.NullOr(Schema.String),
  location: Schema.NullOr(Schema.String),
  posts: Schema.Array(Schema.Struct({ title: Schema.String, slug: Schema.String }))
})
export type ProfilePageRow = typeof ProfilePageRow.Type

const HandleRow = Schema.Struct({ handle: Schema.String })

/** Posts on the page of an author, at most. */
const PAGE_POSTS = 20

/** Reads single public things. One statement decides and reads each. */
export class DiscoveryRepo extends Context.Service<
  DiscoveryRepo,
  {
    readonly post: (id: PostId) => Effect.Effect<Option.Option<PublicJson<PublicPost>>>
    readonly publicContent: (id: PostId) => Effect.Effect<Option.Option<PublicJson<PublicContent>>>
    readonly profile: (handle: string) => Effect.Effect<Option.Option<PublicJson<PublicProfile>>>
    readonly profileSummary: (
      handle: string
    ) => Effect.Effect<Option.Option<PublicJson<PublicProfileSummary>>>
    readonly categories: Effect.Effect<Option.Option<PublicJson<Categories>>>
    readonly categoryCounts: Effect.Effect<Option.Option<PublicJson<CategoryCounts>>>
    readonly isHandleTaken: (handle: string) => Effect.Effect<boolean>
    /** Returns the current handle of the last owner who had this one; none while another owner has it. */
    readonly currentHandle: (formerHandle: string) => Effect.Effect<Option.Option<string>>
    readonly profilePage: (handle: string) => Effect.Effect<Option.Option<ProfilePageRow>>
    readonly page: (handle: string, slug: string) => Effect.Effect<Option.Option<PostPageRow>>
  }
>()("pennypress/publishing/discovery/DiscoveryRepo") {
  static readonly layer = Layer.effect(
    DiscoveryRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const baseUrl = yield* PublicBaseUrl
      const { maybe } = statements(sql, "DiscoveryRepo")

      const members = summaryMembers(sql, baseUrl)
      const text = sql.literal(publicText)

      /** Prepares a public answer by named values. Without a row it is none. */
      const answering = <const Name extends string>(
        names: ReadonlyArray<Name>,
        build: (values: Readonly<Record<Name, string>>) => Statement.Fragment
      ) => {
        const statement = prepared<EtaggedText>(sql)(names, (values) => withEtag(sql, build(values)))
        return <A>(values: Readonly<Record<Name, unknown>>): Effect.Effect<Option.Option<PublicJson<A>>> =>
          Effect.orDie(Effect.map(statement(values), firstJson))
      }

      const published = (id: string) =>
        sql`from posts p join owners o on o.id = p.owner_id where p.id = ${id} and p.status = 'published'`

      const post = answering(
        ["id"],
        ({ id }) =>
          sql`select json_build_object(${members}, 'freeContentMarkdown', ${text})::text as text ${published(id)}`
      )

      const publicContent = answering(
        ["id"],
        ({ id }) => sql`
          select json_build_object(
            'post', json_build_object(${members}),
            'available', not p.enable_paywall,
            'reason', case when p.enable_paywall then 'paid' end,
            'contentMarkdown', case when not p.enable_paywall then coalesce(${text}, '') end)::text as text
          ${published(id)}`
      )

      const profileMembers = sql.literal(`
        'id', o.id,
        'name', o.name,
        'handle', o.handle,
        'bio', o.bio,
        'location', o.location,
        'social_links', o.social_links,
        'avatar_url', o.avatar_url,
        'header_image_url', o.header_image_url,
        'author_kind', o.author_kind,
        'tipping', json_build_object('button_label', o.tip_button_label, 'amounts', to_json(o.tip_amounts)),
        'pinned_post_id', o.pinned_post_id,
        'created_at', wire_time(o.created_at)`)

      const byHandle = (handle: string) => sql`from owners o where lower(o.handle) = lower(${handle})`

      const profile = answering(
        ["handle"],
        ({ handle }) => sql`select json_build_object(${profileMembers})::text as text ${byHandle(handle)}`
      )

      const profileSummary = answering(
        ["handle"],
        ({ handle }) => sql`
          select json_build_object(${profileMembers}, 'counts', json_build_object('posts', o.published_post_count,
            'followers', o.follower_count, 'following', o.following_count))::text as text
          ${byHandle(handle)}`
      )

      const categories = answering(
        [],
        () => sql`
          select json_build_object('data',
            json_agg(json_build_object('id', id, 'name', name, 'slug', slug) order by id))::text as text
          from categories`
      )

      const categoryCounts = answering(
        [],
        () => sql`
          select json_build_object('data', json_agg(json_build_object('id', id, 'name', name, 'slug', slug,
            'postCount', primary_post_count + secondary_post_count) order by id))::text as text
          from categories`
      )

      return DiscoveryRepo.of({
        post: (id) => post({ id }),
        publicContent: (id) => publicContent({ id }),
        profile: (handle) => profile({ handle }),
        profileSummary: (handle) => profileSummary({ handle }),
        categories: categories({}),
        categoryCounts: categoryCounts({}),

        page: (handle, slug) => maybe("page", PostPageRow)`
          select p.id, p.title, p.description, o.name, p.price_raw::text, ${text} as text
          from posts p join owners o on o.id = p.owner_id
          where lower(o.handle) = lower(${handle}) and p.slug = ${slug} and p.status = 'published'`,

        currentHandle: (formerHandle) =>
          Effect.map(
            maybe("currentHandle", HandleRow)`
              select o.handle from former_handles f join owners o on o.id = f.owner_id
              where f.handle = lower(${formerHandle})
                and not exists (select from owners where lower(handle) = lower(${formerHandle}))`,
            Option.map(({ handle }) => handle)
          ),

        profilePage: (handle) => maybe("profilePage", ProfilePageRow)`
          select o.name, o.handle, o.bio, o.location, coalesce((
            select json_agg(json_build_object('title', p.title, 'slug', p.slug) order by p.published_at desc, p.id desc)
            from (
              select * from posts where owner_id = o.id and status = 'published'
              order by published_at desc, id desc limit ${sql.literal(String(PAGE_POSTS))}) p), '[]'::json) as posts
          ${byHandle(handle)}`,

        isHandleTaken: (handle) =>
          Effect.map(
            maybe(
              "isHandleTaken",
              HandleRow
            )`select handle from owners where lower(handle) = lower(${handle})`,
            Option.isSome
          )
      })
    })
  )
}
