import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnerId, UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { imageFormats } from "../../../schemas/publishing/uploads/limits.ts"
import { statements } from "../../platform/sql/statements.ts"

/** The public copy of an image that an account uploaded. */
const OwnImageRow = Schema.Struct({
  id: UploadOperationId,
  target_id: UploadTargetId,
  target_kind: Schema.Literals(["inline", "og", "avatar", "header"]),
  format: Schema.Literals(imageFormats),
  created_at: Timestamp
})
export type OwnImageRow = typeof OwnImageRow.Type

/** Makes the function that returns the next public copies of the images of an account after one of them, target by target. */
export const ownImages = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "ownImages")

  return (
    owner: OwnerId,
    after: Pick<OwnImageRow, "target_id" | "created_at" | "id"> | undefined,
    limit: number
  ) => {
    const isNext =
      after === undefined
        ? sql`true`
        : sql`target_id >= ${after.target_id} and (target_id > ${after.target_id}
            or (created_at, id) < (${after.created_at}::timestamptz, ${after.id}::uuid))`
    return many("slice", OwnImageRow)`
      select id, target_id, target_kind, format, wire_time(created_at) as created_at from upload_operations
      where owner_id = ${owner} and shown and ${isNext}
      order by target_id, upload_operations.created_at desc, id desc limit ${sql.literal(String(limit))}`
  }
})
