import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import type { OwnerId, UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { type UploadTarget, UploadRow } from "./operation.ts"

/** Operations of one target that a list has, at most. */
const LIST_MAX = 200

/** The upload operations of owners, as they are shown. */
export class UploadsRepo extends Context.Service<
  UploadsRepo,
  {
    readonly find: (owner: OwnerId, id: UploadOperationId) => Effect.Effect<Option.Option<UploadRow>>
    /** The operation of a saved request key, when its target is this one. */
    readonly findByRequest: (
      owner: OwnerId,
      requestKey: string,
      target: UploadTarget
    ) => Effect.Effect<ReadonlyArray<UploadRow>>
    /** Newest first. */
    readonly list: (owner: OwnerId, target: UploadTargetId) => Effect.Effect<ReadonlyArray<UploadRow>>
    readonly ownsPost: (owner: OwnerId, post: UploadTargetId) => Effect.Effect<boolean>
    /** Forgets the transfers that no limit counts any more. */
    readonly sweepTransfers: (begunBefore: Date) => Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/UploadsRepo") {
  static readonly layer = Layer.effect(
    UploadsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const select = (where: Statement.Fragment) => sql`
        select u.id, u.owner_id, u.target_kind, u.target_id, u.target_key, u.generation,
          (select max(c.generation) from upload_operations c
           where c.target_id = u.target_id and c.target_kind = u.target_kind and c.target_key = u.target_key
          ) as current_generation,
          coalesce(case u.target_kind
            when 'avatar' then o.avatar_url = u.public_url
            when 'header' then o.header_image_url = u.public_url
            when 'og' then p.og_image = u.public_url
            else strpos(coalesce(p.free_content_native::text, p.free_content_markdown, ''), u.public_url) > 0
              or strpos(coalesce(p.paid_content_native::text, p.paid_content_markdown, ''), u.public_url) > 0
          end, false) as associated,
          u.state, u.owed, u.due_at, u.last_error, u.desired, u.held, u.policy_version,
          u.received_at is not null as received, u.public_url, wire_time(p.updated_at) as revision
        from upload_operations u
        join owners o on o.id = u.owner_id
        left join posts p on p.id = u.target_id and u.target_kind in ('inline', 'og')
        where ${where}`

      const find = SqlSchema.findOneOption({
        Request: Schema.Any,
        Result: UploadRow,
        execute: ({ id, owner }: { readonly owner: OwnerId; readonly id: UploadOperationId }) =>
          select(sql`u.id = ${id} and u.owner_id = ${owner}`)
      })
      const findByRequest = SqlSchema.findAll({
        Request: Schema.Any,
        Result: UploadRow,
        execute: (it: {
          readonly owner: OwnerId
          readonly requestKey: string
          readonly target: UploadTarget
        }) =>
          select(sql`
            u.owner_id = ${it.owner} and u.request_key = ${it.requestKey} and u.target_kind = ${it.target.kind}
            and u.target_id = ${it.target.id} and u.target_key = ${it.target.key}`)
      })
      const list = SqlSchema.findAll({
        Request: Schema.Any,
        Result: UploadRow,
        execute: ({ owner, target }: { readonly owner: OwnerId; readonly target: UploadTargetId }) =>
          select(sql`
            u.owner_id = ${owner} and u.target_id = ${target}
            order by u.created_at desc, u.id desc limit ${sql.literal(String(LIST_MAX))}`)
      })

      return UploadsRepo.of({
        find: Effect.fn("UploadsRepo.find")((owner, id) => Effect.orDie(find({ owner, id }))),
        findByRequest: Effect.fn("UploadsRepo.findByRequest")((owner, requestKey, target) =>
          Effect.orDie(findByRequest({ owner, requestKey, target }))
        ),
        list: Effect.fn("UploadsRepo.list")((owner, target) => Effect.orDie(list({ owner, target }))),
        ownsPost: Effect.fn("UploadsRepo.ownsPost")(function* (owner, post) {
          const rows = yield* sql`select from posts where id = ${post} and owner_id = ${owner}`
          return rows.length === 1
        }, Effect.orDie),
        sweepTransfers: Effect.fn("UploadsRepo.sweepTransfers")(
          (begunBefore) => sql`delete from upload_transfers where begun_at < ${begunBefore}`,
          Effect.asVoid,
          Effect.orDie
        )
      })
    })
  )
}
