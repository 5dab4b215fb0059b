import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as ObjectStorageFiles from "../../../layers/storage/ObjectStorageFiles.ts"
import { temporaryName } from "../../../layers/storage/temporaryFiles.ts"
import { eventually } from "../../support/eventually.ts"
import { files, inDirectory } from "./directories.ts"

describe("temporary files of objects", () => {
  it.effect("Files left by other machines are removed an hour after their last write", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const fs = yield* FileSystem.FileSystem
        const start = Effect.void.pipe(Effect.provide(ObjectStorageFiles.layer({ directory })))
        yield* start
        yield* fs.writeFileString(`${directory}/temporary/left`, "half")
        const written = (yield* fs.stat(`${directory}/temporary/left`)).mtime
        const time = Option.getOrThrow(written).getTime()
        yield* TestClock.setTime(time + 3_599_999)
        yield* start
        assert.deepStrictEqual(yield* files(directory), ["left"])
        yield* TestClock.setTime(time + 3_600_001)
        yield* start
        assert.deepStrictEqual(yield* files(directory), [])
      })
    )
  )

  it.effect("Files of a killed process are removed at the next start, and those of a living one stay", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const fs = yield* FileSystem.FileSystem
        const start = Effect.void.pipe(Effect.provide(ObjectStorageFiles.layer({ directory })))
        yield* start
        const { pid: dead } = spawnSync(process.execPath, ["--version"])
        const living = temporaryName(process.ppid, "uuid")
        const other = `anotherMachine.${dead}.uuid`
        for (const name of [temporaryName(dead, "uuid"), living, other]) {
          yield* fs.writeFileString(`${directory}/temporary/${name}`, "half")
        }
        yield* start
        assert.sameMembers(yield* files(directory), [living, other])
      })
    )
  )

  it.effect("Files of killed processes are removed every hour", () =>
    inDirectory(
      Effect.fnUntraced(function* (directory) {
        const fs = yield* FileSystem.FileSystem
        yield* Layer.build(ObjectStorageFiles.layer({ directory }))
        const { pid: dead } = spawnSync(process.execPath, ["--version"])
        yield* fs.writeFileString(`${directory}/temporary/${temporaryName(dead, "uuid")}`, "half")
        yield* TestClock.adjust("59 minutes")
        assert.lengthOf(yield* files(directory), 1)
        yield* TestClock.adjust("1 minute")
        yield* eventually(
          "a swept file",
          Effect.map(files(directory), (names) => names.length === 0)
        )
      }, Effect.scoped)
    )
  )
})
