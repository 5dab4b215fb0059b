import { Effect } from "effect"
import { CurrentAdministrator } from "../../../schemas/platform/security/administrator.ts"
import { UploadsRpcs } from "../../../schemas/publishing/uploads/rpc.ts"
import { UploadControls } from "./UploadControls.ts"

export const UploadsRpc = UploadsRpcs.toLayer(
  Effect.gen(function* () {
    const controls = yield* UploadControls

    return UploadsRpcs.of({
      "uploads.hold": Effect.fnUntraced(function* ({ operationId }) {
        yield* controls.hold(yield* CurrentAdministrator, operationId)
      }),
      "uploads.release": Effect.fnUntraced(function* ({ operationId }) {
        yield* controls.release(yield* CurrentAdministrator, operationId)
      }),
      "uploads.rescreen": Effect.fnUntraced(function* ({ operationId }) {
        yield* controls.rescreen(yield* CurrentAdministrator, operationId)
      }),
      "uploads.stuck": Effect.fnUntraced(function* (query) {
        return yield* controls.stuck(yield* CurrentAdministrator, query)
      })
    })
  })
)
