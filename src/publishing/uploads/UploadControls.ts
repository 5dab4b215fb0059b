import { Context, Effect, Layer } from "effect"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import {
  type StuckUpload,
  UploadNotFound,
  UploadNotScreenable
} from "../../../schemas/publishing/uploads/rpc.ts"
import { later, now } from "../../platform/time/now.ts"
import { ControlsRepo } from "./ControlsRepo.ts"
import { UploadWakes } from "./UploadWakes.ts"

/** What only an administrator does with upload operations (specification 3.2). Each may be repeated. */
export class UploadControls extends Context.Service<
  UploadControls,
  {
    /** From now on nobody is shown the image, and its files stay whatever becomes of it. */
    readonly hold: (
      administrator: AdministratorAuthority,
      id: UploadOperationId
    ) => Effect.Effect<void, UploadNotFound>
    /** Ends a hold: what was due meanwhile is done. */
    readonly release: (
      administrator: AdministratorAuthority,
      id: UploadOperationId
    ) => Effect.Effect<void, UploadNotFound>
    /** Screens an image once more, as long as its bytes are there. */
    readonly rescreen: (
      administrator: AdministratorAuthority,
      id: UploadOperationId
    ) => Effect.Effect<void, UploadNotFound | UploadNotScreenable>
    /** Operations that are unfinished or held and older than that, oldest first. */
    readonly stuck: (
      administrator: AdministratorAuthority,
      query: { readonly olderThanSeconds: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StuckUpload>>
  }
>()("pennypress/publishing/uploads/UploadControls") {
  static readonly layer = Layer.effect(
    UploadControls,
    Effect.gen(function* () {
      const repo = yield* ControlsRepo
      const wakes = yield* UploadWakes

      const setHeld = Effect.fnUntraced(function* (id: UploadOperationId, held: boolean) {
        if (!(yield* repo.setHeld(id, held, yield* now)))
          return yield* new UploadNotFound({ operationId: id })
        yield* Effect.logInfo(held ? "An upload is held" : "An upload is released").pipe(
          Effect.annotateLogs({ upload: id })
        )
        yield* wakes.wake
      })

      return UploadControls.of({
        hold: Effect.fn("UploadControls.hold")((_, id) => setHeld(id, true)),
        release: Effect.fn("UploadControls.release")((_, id) => setHeld(id, false)),
        rescreen: Effect.fn("UploadControls.rescreen")(function* (_, id) {
          const outcome = yield* repo.rescreen(id, yield* now)
          if (outcome === "unknown") return yield* new UploadNotFound({ operationId: id })
          if (outcome === "without bytes") return yield* new UploadNotScreenable({ operationId: id })
          yield* wakes.wake
        }),
        stuck: Effect.fn("UploadControls.stuck")(function* (_, { limit, olderThanSeconds }) {
          return yield* repo.stuck(later(yield* now, -olderThanSeconds * 1000), limit)
        })
      })
    })
  )
}
