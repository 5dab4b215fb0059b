import { Effect, Option } from "effect"
import type { UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { operationStatements } from "./operations.sql.ts"

/**
 * Cleans up an operation once more when a file of it was written after its lease was lost. An operation whose image
 * may still be shown keeps its files.
 */
export const makeCleanUpLateFile = Effect.gen(function* () {
  const operations = yield* operationStatements
  const transactions = yield* Transactions

  return Effect.fn("Uploads.cleanUpLateFile")(
    function* (id: UploadOperationId, at: Date) {
      const operation = yield* operations.lock(id)
      if (Option.isNone(operation)) return
      yield* operations.apply(operation.value, { type: "file_left", at })
    },
    (cleaning) => transactions.run(cleaning)
  )
})
