import { Effect } from "effect"
import { ObjectStorage } from "../../../platform/ports/ObjectStorage.ts"
import { stagingKey } from "../operation/objectKeys.ts"
import type { Operation } from "../operation/operation.ts"

type StagedUpload = Pick<Operation, "id" | "upload_attempts">

/** Reads and removes files as they were sent, which readers never see. */
export const makeStagedFiles = Effect.gen(function* () {
  const storage = yield* ObjectStorage
  return {
    /** Returns the bytes of an operation as they were received. */
    read: Effect.fn("StagedFiles.read")(({ id, upload_attempts }: StagedUpload) =>
      storage.read(stagingKey(id, upload_attempts))
    ),
    /** Removes the files of every upload attempt. */
    remove: Effect.fn("StagedFiles.remove")(function* ({ id, upload_attempts }: StagedUpload) {
      for (let attempt = 1; attempt <= upload_attempts; attempt++) {
        yield* storage.remove(stagingKey(id, attempt))
      }
    }),
    /** Removes the file of the last upload attempt. */
    discard: Effect.fn("StagedFiles.discard")(({ id, upload_attempts }: StagedUpload) =>
      storage.remove(stagingKey(id, upload_attempts))
    )
  }
})
