import { Effect } from "effect"
import { CurrentAdministrator } from "../../../schemas/platform/security/administrator.ts"
import { OperatorOnly } from "../../../schemas/platform/security/moderator.ts"
import { UploadsRpcs } from "../../../schemas/publishing/uploads/rpc.ts"
import { UploadAdministration } from "./UploadAdministration.ts"

/** An administrator controls every upload. */
const byAny = <A, E>(change: Effect.Effect<A, E | OperatorOnly>) =>
  Effect.catchIf(change, (error) => error instanceof OperatorOnly, Effect.die)

/** Handlers of the procedures for administrators. */
export const UploadsRpc = UploadsRpcs.toLayer(
  Effect.gen(function* () {
    const administration = yield* UploadAdministration

    return UploadsRpcs.of({
      "uploads.hold": Effect.fnUntraced(function* ({ operationId, ...because }) {
        yield* byAny(administration.hold(yield* CurrentAdministrator, operationId, because))
      }),
      "uploads.release": Effect.fnUntraced(function* ({ operationId, ...because }) {
        yield* byAny(administration.release(yield* CurrentAdministrator, operationId, because))
      }),
      "uploads.rescreen": Effect.fnUntraced(function* ({ operationId, ...because }) {
        yield* byAny(administration.rescreen(yield* CurrentAdministrator, operationId, because))
      }),
      "uploads.stuck": Effect.fnUntraced(function* (query) {
        return yield* administration.stuck(yield* CurrentAdministrator, query)
      })
    })
  })
)
