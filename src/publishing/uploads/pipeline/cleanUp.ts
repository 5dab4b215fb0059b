import { Effect } from "effect"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { makeKeptFiles } from "../admission/keptFiles.ts"
import { makeStagedFiles } from "../admission/stagedFile.ts"
import type { Event } from "../operation/event.ts"
import { isHidden, type Operation, transition } from "../operation/operation.ts"
import { operationStatements } from "../operation/operations.sql.ts"
import { makePlaces } from "../operation/places.ts"
import { isAttachment } from "../operation/target.ts"

/** Removes files that have served their purpose. Each removal may be repeated. */
export const makeCleanUp = Effect.gen(function* () {
  const operations = yield* operationStatements
  const files = yield* makeStagedFiles
  const kept = yield* makeKeptFiles
  const places = yield* makePlaces
  const transactions = yield* Transactions

  const expire = Effect.fnUntraced(
    function* (operation: Operation, event: Extract<Event, { type: "leftovers_removed" }>) {
      yield* places.lock(operation)
      const settlement = transition(operation, event)
      if (settlement === undefined || !(yield* operations.settle(operation, settlement))) return
      if (settlement.state === "cancelled") yield* places.remove(operation, event.at)
    },
    (expiring) => transactions.run(expiring)
  )

  return {
    /** Removes what is left of bytes that broke off. Their operation ends a day after it was created. */
    removeLeftovers: Effect.fn("Uploads.removeLeftovers")(function* (operation: Operation) {
      yield* files.remove(operation)
      // A process may have ended after it made the copy. Under `expire` no copy can be left.
      if (operation.next_task === "receive" && !isAttachment(operation)) yield* kept.removeAny(operation)
      const at = yield* now
      const event = { type: "leftovers_removed", at } as const
      // An attachment that never came leaves its Post with its operation.
      yield* isAttachment(operation) ? expire(operation, event) : operations.apply(operation, event)
    }),
    /** Removes the staged file of an operation that was decided on, and the object of a hidden one. */
    cleanUp: Effect.fn("Uploads.cleanUp")(function* (operation: Operation) {
      yield* files.remove(operation)
      if (isHidden(operation.state) && !(yield* places.isKept(operation))) yield* kept.remove(operation)
      yield* operations.apply(operation, { type: "cleaned_up", at: yield* now })
    })
  }
})
