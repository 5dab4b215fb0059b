import { Effect, Layer } from "effect"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { PostImages } from "../posts/PostImages.ts"
import { ControlsRepo } from "./ControlsRepo.ts"
import { UploadWakes } from "./UploadWakes.ts"

/** The images of Posts are upload operations. */
export const layer = Layer.effect(
  PostImages,
  Effect.gen(function* () {
    const controls = yield* ControlsRepo
    const transactions = yield* Transactions
    const wakes = yield* UploadWakes

    return PostImages.of({
      release: Effect.fn("PostImages.release")(function* (post) {
        yield* controls.cancelOfPost(post, yield* now)
        yield* transactions.afterCommit(wakes.wake)
      })
    })
  })
)
