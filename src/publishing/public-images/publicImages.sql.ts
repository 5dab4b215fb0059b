import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import type { Variants } from "../uploads/operation/settlement.ts"

/** The public copy of an upload. */
interface PublicImageRow {
  readonly is_avatar: boolean
  readonly format: ImageFormat
  /** Bytes. */
  readonly public_size: number
  /** Bytes of its smaller copies by their width in pixels. */
  readonly variants: Variants | null
}

/** Statements over public copies of uploads, which the uploads feature writes. */
export const publicImageStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const find = prepared<PublicImageRow>(sql)(
    ["id", "target"],
    ({ id, target }) => sql`
      select target_kind = 'avatar' as is_avatar, format, public_size, variants from upload_operations
      where id = ${id} and target_id = ${target} and shown`
  )

  return {
    /** Finds the public copy of an upload; none when the public may not see it. */
    find: (target: UploadTargetId, id: UploadOperationId) =>
      Effect.orDie(Effect.map(find({ target, id }), ([row]) => Option.fromUndefinedOr(row)))
  }
})
