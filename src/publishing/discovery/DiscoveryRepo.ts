import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { PublicBaseUrl } from "../../../schemas/platform/errors/Problem.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
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
import { publicText, summaryMembers } from "./summaryJson.ts"

/** What the public page of a Post is made of; the text is the teaser when there is a price. */
export interface PostPageRow {
  readonly id: PostId
  readonly title: string
  readonly description: string
  readonly name: string
  readonly price_raw: string | null
  readonly text: string | null
}

/** What the public page of an author is made of, with their newest Posts. */
export interface ProfilePageRow {
  readonly name: string
  readonly handle: string
  readonly bio: string | null
  readonly location: string | null
  readonly posts: ReadonlyArray<{ readonly title: string; readonly slug: string }>
}

/** Posts that the page of an author names. */
const PAGE_POSTS = 20

/** Single things that anybody may read, each decided and read in one statement. */
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
    /** The handle of the last owner who had this one, when nobody has it now. */
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

      const members = summaryMembers(sql, baseUrl)
      const text = sql.literal(publicText)

      /** A public answer by named values; none when nothing is there to answer with. */
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

        page: Effect.fnUntraced(function* (handle, slug) {
          const rows = yield* sql<PostPageRow>`
            select p.title, p.description, o.name, p.price_raw::text, ${text} as text, p.id
            from posts p join owners o on o.id = p.owner_id
            where lower(o.handle) = lower(${handle}) and p.slug = ${slug} and p.status = 'published'`
          return Option.fromUndefinedOr(rows[0])
        }, Effect.orDie),

        currentHandle: Effect.fnUntraced(function* (formerHandle) {
          const rows = yield* sql<{ readonly handle: string }>`
            select o.handle from former_handles f join owners o on o.id = f.owner_id
            where f.handle = lower(${formerHandle})
              and not exists (select from owners where lower(handle) = lower(${formerHandle}))`
          return Option.map(Option.fromUndefinedOr(rows[0]), ({ handle }) => handle)
        }, Effect.orDie),

        profilePage: Effect.fnUntraced(function* (handle) {
          const rows = yield* sql<ProfilePageRow>`
            select o.name, o.handle, o.bio, o.location, coalesce((
              select json_agg(json_build_object('title', p.title, 'slug', p.slug) order by p.published_at desc, p.id desc)
              from (
                select * from posts where owner_id = o.id and status = 'published'
                order by published_at desc, id desc limit ${sql.literal(String(PAGE_POSTS))}) p), '[]'::json) as posts
            ${byHandle(handle)}`
          return Option.fromUndefinedOr(rows[0])
        }, Effect.orDie),

        isHandleTaken: Effect.fnUntraced(function* (handle) {
          const rows = yield* sql`select 1 from owners where lower(handle) = lower(${handle})`
          return rows.length > 0
        }, Effect.orDie)
      })
    })
  )
}
