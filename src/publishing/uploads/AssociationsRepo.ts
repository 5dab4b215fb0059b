import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { TargetKind } from "../../../schemas/publishing/uploads/Upload.ts"

/** Whose image it is. */
export interface AssociationTarget {
  readonly owner_id: OwnerId
  readonly target_kind: TargetKind
  readonly target_id: UploadTargetId
}

/** The places of Posts and Profiles that hold the URL of one image: `ogImage`, the avatar and the header. */
export class AssociationsRepo extends Context.Service<
  AssociationsRepo,
  {
    /**
     * Holds off other changes of what an image is for until the surrounding transaction ends. Before any operation is
     * locked, everywhere, so that two transactions never wait for each other.
     */
    readonly lockTarget: (target: AssociationTarget) => Effect.Effect<void>
    /**
     * Puts an image in its place when it is the current one, wanted, not held, and public; once, unless `again`, as its
     * author may have put something else there since. A Post gets a new revision. Nothing happens for inline images.
     */
    readonly associate: (
      id: UploadOperationId,
      kind: TargetKind,
      how: { readonly again: boolean; readonly at: Date }
    ) => Effect.Effect<void>
    /** Takes an image off the Profile, if it is there. */
    readonly dissociate: (owner: OwnerId, publicUrl: string) => Effect.Effect<void>
    /** Takes the header off the Profile; one that waits to be put there no longer is. */
    readonly removeHeader: (owner: OwnerId) => Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/AssociationsRepo") {
  static readonly layer = Layer.effect(
    AssociationsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const associated = (
        id: UploadOperationId,
        { again, at }: { readonly again: boolean; readonly at: Date }
      ) => sql`
        update upload_operations u set associated_at = ${at}
        where u.id = ${id} and u.desired and not u.held and u.public_url is not null
          and u.state in ('queued', 'checking', 'cleared') and (u.associated_at is null or ${again})
          and not exists (
            select from upload_operations n
            where n.target_id = u.target_id and n.target_kind = u.target_kind and n.target_key = u.target_key
              and n.generation > u.generation)
        returning u.target_id, u.public_url`

      const columns = { avatar: "avatar_url", header: "header_image_url" } as const

      return AssociationsRepo.of({
        lockTarget: Effect.fn("AssociationsRepo.lockTarget")(
          ({ owner_id, target_id, target_kind }) =>
            target_kind === "avatar" || target_kind === "header"
              ? sql`select from owners where id = ${owner_id} for no key update`
              : sql`select from posts where id = ${target_id} for no key update`,
          Effect.asVoid,
          Effect.orDie
        ),

        associate: Effect.fn("AssociationsRepo.associate")(function* (id, kind, how) {
          if (kind === "inline") return
          if (kind === "og") {
            yield* sql`
              with image as (${associated(id, how)})
              update posts p set og_image = image.public_url,
                updated_at = greatest(${how.at}::timestamptz, p.updated_at + interval '1 microsecond')
              from image where p.id = image.target_id and p.og_image is distinct from image.public_url`
            return
          }
          const column = sql.literal(columns[kind])
          yield* sql`
            with image as (${associated(id, how)})
            update owners o set ${column} = image.public_url from image where o.id = image.target_id`
        }, Effect.orDie),

        dissociate: Effect.fn("AssociationsRepo.dissociate")(
          (owner, publicUrl) => sql`
            update owners set avatar_url = nullif(avatar_url, ${publicUrl}),
              header_image_url = nullif(header_image_url, ${publicUrl})
            where id = ${owner} and (avatar_url = ${publicUrl} or header_image_url = ${publicUrl})`,
          Effect.asVoid,
          Effect.orDie
        ),

        removeHeader: Effect.fn("AssociationsRepo.removeHeader")(
          (owner) => sql`
            with unwanted as (
              update upload_operations set desired = false
              where owner_id = ${owner} and target_id = ${owner} and target_kind = 'header' and desired)
            update owners set header_image_url = null where id = ${owner} and header_image_url is not null`,
          Effect.asVoid,
          Effect.orDie
        )
      })
    })
  )
}
