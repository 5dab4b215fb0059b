import { Effect } from "effect"
import { now } from "../../../platform/time/now.ts"
import { makePublicCopies } from "../admission/publicCopy.ts"
import { makeStagedFiles } from "../admission/stagedFile.ts"
import { type Event, isHidden, type Operation, transition } from "../operation/operation.ts"
import { UploadOperationsRepo } from "../repository/UploadOperationsRepo.ts"

/** Removes files that have served their purpose. Each removal may be repeated. */
export const makeCleanUp = Effect.gen(function* () {
  const repo = yield* UploadOperationsRepo
  const files = yield* makeStagedFiles
  const copies = yield* makePublicCopies

  const settle = Effect.fnUntraced(function* (operation: Operation, event: Event) {
    const settlement = transition(operation, event)
    if (settlement !== undefined) yield* repo.settle(operation, settlement)
  })

  return {
    /** Removes what is left of bytes that broke off. Their operation ends a day after it was created. */
    removeLeftovers: Effect.fn("Uploads.removeLeftovers")(function* (operation: Operation) {
      yield* files.remove(operation)
      // A process may have ended after it made the copy. Under `expire` no copy can be left.
      if (operation.next_task === "receive") yield* copies.remove(operation, null)
      yield* settle(operation, { type: "leftovers_removed", at: yield* now })
    }),
    /** Removes the staged file of an image that was decided on, and the public copy of a hidden one. */
    cleanUp: Effect.fn("Uploads.cleanUp")(function* (operation: Operation) {
      yield* files.remove(operation)
      if (isHidden(operation.state)) yield* copies.remove(operation, operation.format)
      yield* settle(operation, { type: "cleaned_up" })
    })
  }
})
