import { Effect } from "effect"
import type { PurchasesQuery } from "../../../schemas/payments/purchases/Purchase.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Purchases } from "../../payments/purchases/Purchases.ts"
import { readyFileStatements } from "../../publishing/posts/readyFiles.sql.ts"

/** Makes the function that lists what an account bought, with the files of each post. */
export const makeLibrary = Effect.gen(function* () {
  const purchases = yield* Purchases
  const files = yield* readyFileStatements

  return Effect.fn("Library.page")(function* (owner: OwnerId, query: PurchasesQuery) {
    const { data, pagination } = yield* purchases.list(owner, query)
    return {
      purchases: data,
      files: yield* files.of(data.map(({ postId }) => postId)),
      nextCursor: pagination.nextCursor
    }
  })
})
