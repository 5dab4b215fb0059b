import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { prepared } from "../../platform/sql/prepared.ts"

/** A public copy, and its bytes. */
export interface MediaRow {
  readonly format: ImageFormat
  readonly public_size: number
}

/** Which public images there are. */
export class MediaRepo extends Context.Service<
  MediaRepo,
  {
    /** What is known of an image that everybody may be shown now; none for any other. */
    readonly find: (target: UploadTargetId, id: UploadOperationId) => Effect.Effect<Option.Option<MediaRow>>
  }
>()("pennypress/publishing/public-images/MediaRepo") {
  static readonly layer = Layer.effect(
    MediaRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const find = prepared<MediaRow>(sql)(
        ["id", "target"],
        ({ id, target }) => sql`
          select format, public_size from upload_operations
          where id = ${id} and target_id = ${target} and shown`
      )

      return MediaRepo.of({
        find: (target, id) =>
          Effect.orDie(Effect.map(find({ target, id }), ([row]) => Option.fromUndefinedOr(row)))
      })
    })
  )
}
