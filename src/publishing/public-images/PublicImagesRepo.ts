import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { prepared } from "../../platform/sql/prepared.ts"

/** The public copy of an upload. */
export interface PublicImageRow {
  readonly format: ImageFormat
  /** Bytes. */
  readonly public_size: number
}

/** Reads uploads; the uploads feature writes them. */
export class PublicImagesRepo extends Context.Service<
  PublicImagesRepo,
  {
    /** Finds the public copy of an upload; none when the public may not see it. */
    readonly find: (
      target: UploadTargetId,
      id: UploadOperationId
    ) => Effect.Effect<Option.Option<PublicImageRow>>
  }
>()("pennypress/publishing/public-images/PublicImagesRepo") {
  static readonly layer = Layer.effect(
    PublicImagesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const find = prepared<PublicImageRow>(sql)(
        ["id", "target"],
        ({ id, target }) => sql`
          select format, public_size from upload_operations
          where id = ${id} and target_id = ${target} and shown`
      )

      return PublicImagesRepo.of({
        find: (target, id) =>
          Effect.orDie(Effect.map(find({ target, id }), ([row]) => Option.fromUndefinedOr(row)))
      })
    })
  )
}
