import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
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
    ["id"],
    ({ id }) => sql`
      select target_kind = 'avatar' as is_avatar, format, public_size, variants from upload_operations
      where id = ${id} and shown and not (
        exists (
          select from account_deletions d
          where d.id = upload_operations.owner_id and d.ended_at is null and upload_operations.id <> all (d.kept_images))
        and not exists (
          select from post_counts c where c.post_id = upload_operations.target_id and c.purchases > 0))`
  )

  return {
    /**
     * Finds the public copy of an upload; none when the public may not see it. Of an account that closes, readers only see the
     * images of Posts that were sold, and those that the texts of such Posts show.
     */
    find: (id: UploadOperationId) =>
      Effect.orDie(Effect.map(find({ id }), ([row]) => Option.fromUndefinedOr(row)))
  }
})
