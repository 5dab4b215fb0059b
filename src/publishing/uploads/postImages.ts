import { Effect, Layer } from "effect"
import { now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { PostImages } from "../posts/PostImages.ts"
import { transition } from "./operation/operation.ts"
import { operationStatements, UPLOADS } from "./operation/operations.sql.ts"

/** Images of Posts, as upload operations: the port through which Posts release them. */
export const PostImagesUploads = Layer.effect(
  PostImages,
  Effect.gen(function* () {
    const operations = yield* operationStatements
    const { ring } = (yield* Doorbells).bell(UPLOADS)

    return PostImages.of({
      release: Effect.fn("PostImages.release")(function* (post) {
        const at = yield* now
        yield* operations.settleAll(
          yield* operations.lockOfPost(post),
          (it) =>
            // The files of an attachment that was cancelled before stayed for its buyers.
            transition(it, { type: "cancelled", at }) ?? transition(it, { type: "file_left", at })
        )
        yield* ring
      })
    })
  })
)
