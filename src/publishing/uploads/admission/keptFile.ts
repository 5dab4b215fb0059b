import { Effect } from "effect"
import { ObjectStorage } from "../../../platform/ports/ObjectStorage.ts"
import { keptPath, stagingKey } from "../operation/objectKeys.ts"
import { type Operation } from "../operation/operation.ts"
import { isAttachment } from "../operation/target.ts"
import { makePublicCopies } from "./publicCopy.ts"

/** The objects that stay: public copies of images, and the files of buyers. */
export const makeKeptFiles = Effect.gen(function* () {
  const storage = yield* ObjectStorage
  const copies = yield* makePublicCopies

  return {
    /** Makes the file of buyers of a cleared attachment. One that was screened again has it already. */
    make: Effect.fn("KeptFiles.make")(function* (operation: Operation) {
      if (!isAttachment(operation) || operation.staged_bytes === 0) return
      const staged = stagingKey(operation.id, operation.upload_attempts)
      yield* storage.copy(staged, keptPath(operation, "zip"))
    }),
    /** Removes the object of an operation, if there is one. */
    remove: Effect.fn("KeptFiles.remove")(function* (operation: Operation) {
      if (isAttachment(operation)) yield* storage.remove(keptPath(operation, "zip"))
      else yield* copies.remove(operation, operation.format === "zip" ? null : operation.format)
    }),
    /** Removes the public copy of an image in whatever format. */
    removeAny: (operation: Operation) => copies.remove(operation, null)
  }
})
