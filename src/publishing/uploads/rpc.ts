import { Effect } from "effect"
import { CurrentAdministrator } from "../../../schemas/platform/security/administrator.ts"
import { UploadsRpcs } from "../../../schemas/publishing/uploads/rpc.ts"
import { UploadAdministration } from "./UploadAdministration.ts"

/** Handlers of the procedures for administrators. */
export const UploadsRpc = UploadsRpcs.toLayer(
  Effect.gen(function* () {
    const administration = yield* UploadAdministration

    return UploadsRpcs.of({
      "uploads.hold": Effect.fnUntraced(function* ({ operationId }) {
        yield* administration.hold(yield* CurrentAdministrator, operationId)
      }),
      "uploads.release": Effect.fnUntraced(function* ({ operationId }) {
        yield* administration.release(yield* CurrentAdministrator, operationId)
      }),
      "uploads.rescreen": Effect.fnUntraced(function* ({ operationId }) {
        yield* administration.rescreen(yield* CurrentAdministrator, operationId)
      }),
      "uploads.stuck": Effect.fnUntraced(function* (query) {
        return yield* administration.stuck(yield* CurrentAdministrator, query)
      })
    })
  })
)
