import { Context, Effect, Layer, Option } from "effect"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import {
  type StuckUpload,
  UploadNotFound,
  UploadNotScreenable
} from "../../../schemas/publishing/uploads/rpc.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { later, now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { transition } from "./operation/operation.ts"
import { operationStatements, UPLOADS } from "./operation/operations.sql.ts"

/** Controls of upload operations that only an administrator has (spec 3.2). Each may be repeated. */
export class UploadAdministration extends Context.Service<
  UploadAdministration,
  {
    /** Hides the image from readers, and keeps its files whatever happens to it. */
    readonly hold: (
      administrator: AdministratorAuthority,
      id: UploadOperationId
    ) => Effect.Effect<void, UploadNotFound>
    /** Ends a hold. A cleanup that was due meanwhile is done. */
    readonly release: (
      administrator: AdministratorAuthority,
      id: UploadOperationId
    ) => Effect.Effect<void, UploadNotFound>
    /** Screens an image once more, as long as its bytes are there. */
    readonly rescreen: (
      administrator: AdministratorAuthority,
      id: UploadOperationId
    ) => Effect.Effect<void, UploadNotFound | UploadNotScreenable>
    /** Returns unfinished or held operations that are older than that, oldest first. */
    readonly stuck: (
      administrator: AdministratorAuthority,
      query: { readonly olderThanSeconds: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StuckUpload>>
  }
>()("pennypress/publishing/uploads/UploadAdministration") {
  static readonly layer = Layer.effect(
    UploadAdministration,
    Effect.gen(function* () {
      const operations = yield* operationStatements
      const transactions = yield* Transactions
      const { ring } = (yield* Doorbells).bell(UPLOADS)

      const change = Effect.fnUntraced(
        function* (id: UploadOperationId, type: "held" | "released" | "rescreened") {
          const operation = yield* operations.lock(id)
          if (Option.isNone(operation)) return yield* new UploadNotFound({ operationId: id })
          const settlement = transition(operation.value, { type, at: yield* now })
          if (settlement === undefined) return yield* new UploadNotScreenable({ operationId: id })
          yield* operations.settle(operation.value, settlement)
          yield* ring
        },
        (changing) => transactions.run(changing)
      )

      const setHeld = Effect.fnUntraced(function* (id: UploadOperationId, held: boolean) {
        yield* Effect.catchTag(change(id, held ? "held" : "released"), "UploadNotScreenable", Effect.die)
        yield* Effect.logInfo(held ? "An upload is held" : "An upload is released").pipe(
          Effect.annotateLogs({ upload: id })
        )
      })

      return UploadAdministration.of({
        hold: Effect.fn("UploadAdministration.hold")((_, id) => setHeld(id, true)),
        release: Effect.fn("UploadAdministration.release")((_, id) => setHeld(id, false)),
        rescreen: Effect.fn("UploadAdministration.rescreen")((_, id) => change(id, "rescreened")),
        stuck: Effect.fn("UploadAdministration.stuck")(function* (_, { limit, olderThanSeconds }) {
          return yield* operations.stuck(later(yield* now, -olderThanSeconds * 1000), limit)
        })
      })
    })
  )
}
