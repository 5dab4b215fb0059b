import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorKind, HandleTaken, SocialLink, Tipping } from "../../../schemas/accounts/profile/Profile.ts"
import { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { statements } from "../../platform/sql/statements.ts"
import { ownerTags } from "./ownerTags.ts"

/** The Profile of an owner. `pinned_post_id` is null while the pinned Post is not published. */
export const ProfileRow = Schema.Struct({
  id: OwnerId,
  name: Schema.String,
  handle: Schema.String,
  bio: Schema.NullOr(Schema.String),
  location: Schema.NullOr(Schema.String),
  social_links: Schema.Array(SocialLink),
  pinned_post_id: Schema.NullOr(PostId),
  avatar_url: Schema.NullOr(Schema.String),
  header_image_url: Schema.NullOr(Schema.String),
  author_kind: AuthorKind,
  tip_button_label: Schema.String,
  /** In XNO. */
  tip_amounts: Tipping.fields.amounts
})
export type ProfileRow = typeof ProfileRow.Type

/** New values by column; one that is undefined stays as it is. */
export interface ProfileChange {
  readonly name: string | undefined
  readonly handle: string | undefined
  /** Only an account that already has the handle may keep it. */
  readonly is_handle_reserved: boolean
  /** An account that was deleted had the handle, a short time ago. */
  readonly is_handle_retired: boolean
  readonly bio: string | null | undefined
  readonly location: string | null | undefined
  readonly social_links: ReadonlyArray<SocialLink> | undefined
  readonly pinned_post_id: PostId | null | undefined
  readonly tip_button_label: string | undefined
  readonly tip_amounts: ReadonlyArray<number> | undefined
}

/** The reason of a refusal: a guest's handle, a new reserved or retired one, or a pinned Post that the owner has not published. */
const Refusal = Schema.Literals(["guest_handle", "reserved_handle", "retired_handle", "pinned_post"])
type Refusal = typeof Refusal.Type

const Outcome = Schema.Union([
  Schema.Struct({ refusal: Schema.Null, ...ProfileRow.fields }),
  Schema.Struct({ refusal: Refusal })
])

/** The outcome of a change. */
export type ProfileOutcome = typeof Outcome.Type

/** The Profile columns of owners. */
export class OwnerProfiles extends Context.Service<
  OwnerProfiles,
  {
    readonly find: (owner: OwnerId) => Effect.Effect<ProfileRow>
    /**
     * Makes a whole change or nothing, in one statement. A handle that differs only in case counts as the same. A
     * different handle keeps the former one for the URLs that contain it.
     */
    readonly update: (
      owner: OwnerId,
      change: ProfileChange,
      at: Date
    ) => Effect.Effect<ProfileOutcome, HandleTaken>
  }
>()("pennypress/accounts/owners/OwnerProfiles") {
  static readonly layer = Layer.effect(
    OwnerProfiles,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { one } = statements(sql, "OwnerProfiles")

      const { changing } = yield* PublicAnswers

      // A pinned Post that has since been unpublished is not shown until it is published again.
      const columns = sql.literal(
        `o.id, o.name, o.handle, o.bio, o.location, o.social_links, o.avatar_url, o.header_image_url, o.author_kind,
         o.tip_button_label, o.tip_amounts::float8[] as tip_amounts,
         (select p.id from public_posts p where p.id = o.pinned_post_id) as pinned_post_id`
      )

      // Changes of any members are the same statement, so that it is planned once.
      const newOrKept = (column: string, type: string, value: unknown) => sql`
        ${sql(column)} = case when ${value !== undefined}
          then ${value ?? null}::${sql.literal(type)} else owners.${sql(column)} end`

      const assignments = (change: ProfileChange) =>
        sql.csv([
          newOrKept("name", "text", change.name),
          newOrKept("handle", "text", change.handle),
          newOrKept("bio", "text", change.bio),
          newOrKept("location", "text", change.location),
          newOrKept(
            "social_links",
            "text::jsonb",
            change.social_links && JSON.stringify(change.social_links)
          ),
          newOrKept("pinned_post_id", "uuid", change.pinned_post_id),
          newOrKept("tip_button_label", "text", change.tip_button_label),
          // As text, so that exactly the decimals that were sent are saved.
          newOrKept("tip_amounts", "text[]::numeric[]", change.tip_amounts?.map(String))
        ])

      const decode = Schema.decodeUnknownEffect(Outcome)

      return OwnerProfiles.of({
        find: (owner) => one("find", ProfileRow)`select ${columns} from owners o where o.id = ${owner}`,

        // The locks make sure that the verdict and the change concern the same rows if another request changes them
        // concurrently.
        update: Effect.fn("OwnerProfiles.update")(
          (owner, change, at) => sql`
          with mine as (
            select id, handle, case
              when kind = 'guest' and handle <> ${change.handle ?? null}::text then 'guest_handle'
              when ${change.is_handle_reserved} and lower(handle) <> lower(${change.handle ?? null}::text)
                then 'reserved_handle'
              when ${change.is_handle_retired} and lower(handle) <> lower(${change.handle ?? null}::text)
                then 'retired_handle'
              when ${change.pinned_post_id ?? null}::uuid is not null and not exists (
                select from public_posts
                where id = ${change.pinned_post_id ?? null}::uuid and owner_id = ${owner} for key share
              ) then 'pinned_post'
            end as refusal
            from owners where id = ${owner} for no key update
          ), changed as (
            update owners set ${assignments(change)} from mine
            where owners.id = mine.id and mine.refusal is null
            returning owners.*
          ), released as (
            insert into former_handles (handle, owner_id, released_at)
            select lower(mine.handle), mine.id, ${at} from mine join changed on lower(changed.handle) <> lower(mine.handle)
            on conflict (handle) do update set owner_id = excluded.owner_id, released_at = excluded.released_at
          )
          select mine.refusal, ${columns} from mine left join changed o on true`,
          Effect.flatMap(([row]) => decode(row)),
          // The handle is the only unique column here.
          Effect.catchReason("SqlError", "UniqueViolation", () => Effect.fail(handleTaken())),
          Effect.catchTag(["SqlError", "SchemaError"], Effect.die),
          (effect, owner, { handle, name }) => {
            const isFoundOtherwise = handle !== undefined || name !== undefined
            return changing(
              isFoundOtherwise ? [ownerTags.profile(owner), ownerTags.handles] : [ownerTags.profile(owner)]
            )(effect)
          }
        )
      })
    })
  )
}

/** Makes the refusal of a handle that another account has, or had. */
export const handleTaken = () =>
  new HandleTaken({
    errors: [{ field: "handle", code: "taken", message: "Another account holds this handle" }]
  })
