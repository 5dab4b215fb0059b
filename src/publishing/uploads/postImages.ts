import { Effect, Layer } from "effect"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { PostImages } from "../posts/PostImages.ts"
import { transition } from "./operation.ts"
import { UploadOperationsRepo } from "./UploadOperationsRepo.ts"
import { UploadWakes } from "./UploadWakes.ts"

/** Images of Posts, as upload operations. */
export const layer = Layer.effect(
  PostImages,
  Effect.gen(function* () {
    const repo = yield* UploadOperationsRepo
    const transactions = yield* Transactions
    const wakes = yield* UploadWakes

    return PostImages.of({
      release: Effect.fn("PostImages.release")(function* (post) {
        const at = yield* now
        yield* repo.settleAll(yield* repo.lockOfPost(post), (it) => transition(it, { type: "cancelled", at }))
        yield* transactions.afterCommit(wakes.wake)
      })
    })
  })
)
