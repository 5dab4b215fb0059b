import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, FileSystem } from "effect"
import { systemReason } from "../../../layers/files/systemReason.ts"
import { operatorMessage } from "../../../src/bin/failures.ts"
import { StorageUnavailable } from "../../../src/platform/ports/ObjectStorage.ts"
import { temporaryDirectory } from "../../support/directories.ts"

describe("a reason of the operating system", () => {
  it.live("An error of a file is told in words, through the errors around it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* temporaryDirectory
      const error = yield* Effect.flip(fs.writeFileString(folder, "text"))
      assert.strictEqual(systemReason(error), "it is a folder (EISDIR)")
      const around = new StorageUnavailable({ operation: "put", cause: error })
      assert.strictEqual(systemReason(around), "it is a folder (EISDIR)")
      assert.strictEqual(
        operatorMessage(Cause.fail(error)),
        `${folder} cannot be used: it is a folder (EISDIR). Correct that, and try again.`
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it("Other errors have no such reason", () => {
    for (const error of [new Error("no"), "ENOSPC", undefined, { code: "42P01" }, { code: "ECONNREFUSED" }])
      assert.isUndefined(systemReason(error))
  })
})
