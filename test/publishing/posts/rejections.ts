import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { now } from "../../../src/platform/time/now.ts"
import { ImageReferences } from "../../../src/publishing/posts/ImageReferences.ts"

/** Removes an image from a Post in a transaction, as a verdict of screening does. */
export const reject = Effect.fnUntraced(function* (id: string, url: string) {
  const references = yield* ImageReferences
  const transactions = yield* Transactions
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly owner_id: string }>`select owner_id from posts where id = ${id}`
  const image = {
    ownerId: OwnerId.make(row!.owner_id),
    postId: PostId.make(id),
    url,
    at: yield* now
  }
  return yield* transactions.run(references.remove(image))
})
