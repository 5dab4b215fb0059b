import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Layer, Option, PlatformError, Redacted } from "effect"
import { backUp, restoreInto } from "../../../layers/backup/commands.ts"
import { operatorMessage } from "../../../src/bin/failures.ts"
import { emptyDatabase, freshDatabase } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"

const SECRET = "a secret of the service that is backed up"

/** Runs a command over a database, with its data in a folder. */
const commandOf = <A, E>(
  command: Effect.Effect<A, E, NodeServices.NodeServices>,
  url: Redacted.Redacted,
  data: string,
  files: Layer.Layer<FileSystem.FileSystem> = Layer.empty as never
) =>
  command.pipe(
    Effect.provide(Layer.merge(NodeServices.layer, files)),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({
        env: {
          DATABASE_URL: Redacted.value(url),
          PENNYPRESS_DATA: data,
          SERVER_SECRET: SECRET,
          SCANNER: "none"
        }
      })
    )
  )

const progress = () => Effect.void

const order = (to: string) => ({ to, keep: Option.none(), withSecret: false, release: "0.0.0", progress })

const messageOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(Effect.sandbox(effect)), (cause) => operatorMessage(cause) ?? "a defect")

describe("the commands of backups", () => {
  it.live("A folder that nothing can be written to is restored", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const url = yield* freshDatabase("test_backup_commands")
      const place = join(home, "backups")
      yield* commandOf(backUp(order(place)), url, join(home, "data"))
      rmSync(join(place, "temporary"), { recursive: true })
      chmodSync(place, 0o500)
      const into = { from: place, backup: Option.none(), into: join(home, "other"), progress }
      yield* commandOf(
        restoreInto(into),
        yield* emptyDatabase("test_backup_commands_other"),
        join(home, "data")
      )
      assert.deepStrictEqual(readdirSync(place), ["objects"], "A restore writes nothing to the place")
      chmodSync(place, 0o700)
    })
  )

  it.live("A place without backups is told with what is wrong with it", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const url = yield* freshDatabase("test_backup_commands_places")
      const restoring = (from: string, files?: Layer.Layer<FileSystem.FileSystem>) =>
        messageOf(
          commandOf(
            restoreInto({ from, backup: Option.none(), into: join(home, "into"), progress }),
            url,
            join(home, "data"),
            files
          )
        )
      assert.match(yield* restoring(join(home, "nowhere")), /no such folder with backups/)
      mkdirSync(join(home, "empty"))
      assert.match(yield* restoring(join(home, "empty")), /no such folder with backups/)
      writeFileSync(join(home, "file"), "")
      assert.match(yield* restoring(join(home, "file")), /no such folder with backups/)
      // Root may read every folder, so this file system refuses it by itself.
      mkdirSync(join(home, "closed", "objects"), { recursive: true })
      const closed = refusing("readDirectory", "EACCES")
      assert.match(
        yield* restoring(join(home, "closed"), closed),
        /cannot be read: this account may not do that \(EACCES\)/
      )
      assert.isFalse(existsSync(join(home, "into")))
    })
  )

  it.live("A full disk is told in words, and leaves no backup", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const url = yield* freshDatabase("test_backup_commands_full")
      const place = join(home, "backups")
      const message = yield* messageOf(
        commandOf(backUp(order(place)), url, join(home, "data"), refusing("writeAll", "ENOSPC"))
      )
      assert.match(message, /failed \(the disk is full \(ENOSPC\)\)\. Correct that/)
      assert.notInclude(message, "writeAll")
      assert.deepStrictEqual(readdirSync(join(place, "objects")), [])
    })
  )
})

const refusal = (method: string, code: string) =>
  PlatformError.systemError({
    _tag: code === "EACCES" ? "PermissionDenied" : "Unknown",
    module: "FileSystem",
    method,
    pathOrDescriptor: 29,
    cause: Object.assign(new Error(`${code}: refused, ${method}`), { code })
  })

/** The files of the machine, whose system refuses one kind of call with this error. */
const refusing = (method: "readDirectory" | "writeAll", code: string) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (files) => ({
      ...files,
      ...(method === "readDirectory"
        ? { readDirectory: () => Effect.fail(refusal(method, code)) }
        : {
            open: (path: string, options?: Parameters<typeof files.open>[1]) =>
              Effect.map(files.open(path, options), (file) =>
                Object.assign(Object.create(file), { writeAll: () => Effect.fail(refusal(method, code)) })
              )
          })
    }))
  ).pipe(Layer.provide(NodeServices.layer))
