import { Context, Effect, Layer } from "effect"
import type { PostId } from "../../../../schemas/platform/Ids.ts"
import type { EraseSome } from "../../../platform/sql/EraseSome.ts"
import { now } from "../../../platform/time/now.ts"
import { PostFinance } from "../PostFinance.ts"
import { PostImages } from "../PostImages.ts"
import { postStatements } from "../posts.sql.ts"
import { postErasureStatements } from "./postErasure.sql.ts"

/** Posts that one transaction erases, at most: each takes several statements. */
const STEP_POSTS = 50

/** Erases the Posts of accounts that are deleted, once none of them is public. */
export class PostErasure extends Context.Service<
  PostErasure,
  {
    /**
     * Erases Posts without payments, with their images, files and Comments. A Post with payments stays, without its texts.
     * What was sold stays for its buyers: the versions, the images and the files.
     */
    readonly eraseSome: EraseSome
  }
>()("pennypress/publishing/posts/erasure/PostErasure") {
  static readonly layer = Layer.effect(
    PostErasure,
    Effect.gen(function* () {
      const erasure = yield* postErasureStatements
      const posts = yield* postStatements
      const finance = yield* PostFinance
      const images = yield* PostImages

      const erase = Effect.fnUntraced(function* (id: PostId) {
        const retained = yield* finance.retained(id)
        if (retained === null) {
          yield* finance.release(id)
          yield* posts.remove(id)
          return yield* images.release(id)
        }
        const at = yield* now
        const kept = yield* finance.keepForBuyers(id, at)
        yield* erasure.erase(id, kept, at)
        if (kept !== null) return
        yield* erasure.removeFiles(id)
        yield* images.release(id)
      })

      return PostErasure.of({
        eraseSome: Effect.fn("PostErasure.eraseSome")(function* (owner, limit) {
          const ids = yield* erasure.lockSome(owner, Math.min(limit, STEP_POSTS))
          yield* Effect.forEach(ids, erase, { discard: true })
          return ids.length > 0
        })
      })
    })
  )
}
