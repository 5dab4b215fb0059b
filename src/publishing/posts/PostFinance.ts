import { Context, Effect, Layer } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { PostFinanceRepo } from "./PostFinanceRepo.ts"

/** What payments retain of a Post: paid purchases, other financial history such as tips, or nothing. */
export type Retained = "purchases" | "history" | "nothing"

/** What the payments of a Post keep from being erased (specification 3.1). */
export class PostFinance extends Context.Service<
  PostFinance,
  {
    /** Asked inside the transaction that holds the Post, so that no payment comes in between. */
    readonly retained: (id: PostId) => Effect.Effect<Retained>
  }
>()("pennypress/publishing/posts/PostFinance") {
  static readonly layer = Layer.effect(
    PostFinance,
    Effect.gen(function* () {
      const repo = yield* PostFinanceRepo

      return PostFinance.of({
        retained: Effect.fn("PostFinance.retained")(function* (id) {
          const { purchases, tips } = yield* repo.find(id)
          if (purchases > 0) return "purchases"
          return tips > 0 ? "history" : "nothing"
        })
      })
    })
  )
}
