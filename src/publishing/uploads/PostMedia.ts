import { Context, Effect, Layer } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { ControlsRepo } from "./ControlsRepo.ts"
import { UploadWakes } from "./UploadWakes.ts"

/** The images of a Post, for the feature that Posts are. */
export class PostMedia extends Context.Service<
  PostMedia,
  {
    /** Cancels every image of a Post that is deleted, in that transaction; the files follow its commit (specification 3.1). */
    readonly release: (post: PostId) => Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/PostMedia") {
  static readonly layer = Layer.effect(
    PostMedia,
    Effect.gen(function* () {
      const controls = yield* ControlsRepo
      const transactions = yield* Transactions
      const wakes = yield* UploadWakes

      return PostMedia.of({
        release: Effect.fn("PostMedia.release")(function* (post) {
          yield* controls.cancelOfPost(post, yield* now)
          yield* transactions.afterCommit(wakes.wake)
        })
      })
    })
  )
}
