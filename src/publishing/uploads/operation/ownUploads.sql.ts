import { Effect, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { OwnerId, UploadOperationId, UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import { AttachmentState } from "../../../../schemas/publishing/posts/Post.ts"
import { UploadTask } from "../../../../schemas/publishing/uploads/rpc.ts"
import { TargetKind, UploadReason, UploadState } from "../../../../schemas/publishing/uploads/Upload.ts"
import { statements } from "../../../platform/sql/statements.ts"
import type { UploadTarget } from "./target.ts"

/** Maximum number of operations in a list. */
const LIST_MAX = 200

/** An upload operation with the parts of its receipt that its target decides. */
export const UploadRow = Schema.Struct({
  id: UploadOperationId,
  owner_id: OwnerId,
  target_kind: TargetKind,
  target_id: UploadTargetId,
  target_key: Schema.String,
  generation: Schema.Int,
  current_generation: Schema.Int,
  /** True when the place of an og, avatar or header image holds its URL, and when an attachment is on its Post. */
  in_place: Schema.Boolean,
  state: UploadState,
  next_task: Schema.NullOr(UploadTask),
  due_at: Schema.Date,
  last_error: Schema.NullOr(UploadReason),
  detail: Schema.NullOr(Schema.String),
  desired: Schema.Boolean,
  held: Schema.Boolean,
  policy_version: Schema.String,
  received: Schema.Boolean,
  public_url: Schema.NullOr(Schema.String),
  file_name: Schema.NullOr(Schema.String),
  /** An attachment on its Post; null for images, and once it is off. */
  file_state: Schema.NullOr(AttachmentState),
  file_bytes: Schema.NullOr(Schema.Int),
  /** Revision of the Post; null for a Profile. */
  revision: Schema.NullOr(Timestamp)
})
export type UploadRow = typeof UploadRow.Type

/**
 * Returns the select of operations as their authors see them. The current generation of a target is the newest that is
 * desired. Cancelling an image thus makes the one before it current again.
 */
const selecting = (sql: SqlClient.SqlClient) => (where: Statement.Fragment) =>
  sql`
  select u.id, u.owner_id, u.target_kind, u.target_id, u.target_key, u.generation,
    (select coalesce(max(c.generation) filter (where c.desired), max(c.generation)) from upload_operations c
     where c.target_id = u.target_id and c.target_kind = u.target_kind and c.target_key = u.target_key
    ) as current_generation,
    coalesce(case u.target_kind
      when 'avatar' then o.avatar_url = u.public_url
      when 'header' then o.header_image_url = u.public_url
      when 'og' then p.og_image = u.public_url
      when 'attachment' then f.id is not null
    end, false) as in_place,
    u.state, u.next_task, u.due_at, u.last_error, u.detail, u.desired, u.held, u.policy_version,
    u.received_at is not null as received, u.public_url, u.file_name,
    f.state as file_state, f.byte_size::float8 as file_bytes, wire_time(p.updated_at) as revision
  from upload_operations u
  join owners o on o.id = u.owner_id
  left join posts p on p.id = u.target_id and u.target_kind in ('inline', 'og', 'attachment')
  left join post_attachments f on f.id = u.id and f.removed_at is null
  where ${where}`

/** Statements over operations as their authors see them. */
export const ownUploadStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe } = statements(sql, "uploadOperations")
  const select = selecting(sql)

  return {
    find: (owner: OwnerId, id: UploadOperationId) =>
      maybe("find", UploadRow)`${select(sql`u.id = ${id} and u.owner_id = ${owner}`)}`,

    /** Finds the operation of a saved request key, when its target is this one. */
    findByRequest: (owner: OwnerId, requestKey: string, target: UploadTarget) =>
      many("findByRequest", UploadRow)`${select(sql`
        u.owner_id = ${owner} and u.request_key = ${requestKey} and u.target_kind = ${target.kind}
        and u.target_id = ${target.id} and (u.target_key = ${target.key} or u.target_kind = 'attachment')`)}`,

    /** Returns images of a target, or its attachments, newest first, 200 at most. */
    list: (owner: OwnerId, target: UploadTargetId, kind: "image" | "attachment") =>
      many("list", UploadRow)`${select(sql`
        u.owner_id = ${owner} and u.target_id = ${target}
        and (u.target_kind = 'attachment') = ${kind === "attachment"}
        order by u.created_at desc, u.id desc limit ${sql.literal(String(LIST_MAX))}`)}`,

    ownsPost: (owner: OwnerId, post: UploadTargetId) =>
      Effect.map(
        maybe("ownsPost", Schema.Struct({}))`select from posts where id = ${post} and owner_id = ${owner}`,
        Option.isSome
      )
  }
})
