import { join, resolve } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, FileSystem, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { ObjectStorage, StorageUnavailable } from "../../src/platform/ports/ObjectStorage.ts"
import { type Environment, readEnvironment } from "../config/environment.ts"
import { areServerSecrets } from "../crypto/ServerSecret.ts"
import { makeDataDirectory } from "../files/dataDirectory.ts"
import { systemReason } from "../files/systemReason.ts"
import { storage } from "../live.ts"
import { databaseUrl, isBeforeFirstStart } from "../postgres/databaseUrl.ts"
import { serverOptions } from "../postgres/serverOptions.ts"
import * as ObjectStorageFiles from "../storage/ObjectStorageFiles.ts"
import * as ObjectStorageS3 from "../storage/s3/ObjectStorageS3.ts"
import { backup, type Progress } from "./backup.ts"
import { refused } from "./files.ts"
import { findBackup, restore, secretOf } from "./restore.ts"

const NO_PLACE = "The backup location cannot be opened. Check its path, or each part of its URL."

/** Opens the place of backups: a folder, or a bucket. A place to restore from is only read. */
const openPlace = Effect.fnUntraced(function* (
  place: string,
  { isReadOnly }: { readonly isReadOnly: boolean }
) {
  const layer = Layer.mergeAll(
    place.startsWith("s3://")
      ? ObjectStorageS3.layer({ url: Redacted.make(place) })
      : ObjectStorageFiles.layer({ directory: resolve(place), isReadOnly })
  )
  const built = yield* Effect.mapError(Layer.build(Layer.fresh(layer)), (error) => {
    const reason = systemReason(error)
    return refused(reason === undefined ? NO_PLACE : `The backup location cannot be opened: ${reason}.`)
  })
  return Context.get(built, ObjectStorage)
})

/** Opens the store of the service. */
const openStore = Effect.fnUntraced(function* (environment: Environment) {
  const layer = Layer.mergeAll(storage(environment))
  return Context.get(yield* Layer.build(Layer.fresh(layer)), ObjectStorage)
})

/** Opens one connection, on which a statement may take as long as it needs. Fails if the database does not answer. */
const openDatabase = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const client = yield* PgClient.make({
    ...(yield* serverOptions(url)),
    maxConnections: 1,
    connectTimeout: "5 seconds"
  })
  yield* client`select 1`
  return client
})

const secretFile = (environment: Environment) => join(environment.PENNYPRESS_DATA, "server-secret")

const ownSecret = Effect.fnUntraced(
  function* (environment: Environment) {
    if (Option.isSome(environment.SERVER_SECRET)) return environment.SERVER_SECRET.value
    const fs = yield* FileSystem.FileSystem
    return Redacted.make((yield* fs.readFileString(secretFile(environment))).trim())
  },
  Effect.catchTag("PlatformError", () =>
    Effect.fail(
      refused(
        "The secret of the service cannot be read. Run this as the account of the service, or set SERVER_SECRET."
      )
    )
  )
)

/** Tells a person of a store that failed, with its reason, which has no secrets. */
const told = <A, E, R>(effect: Effect.Effect<A, E | StorageUnavailable, R>) =>
  Effect.mapError(effect, (error) => {
    if (!(error instanceof StorageUnavailable)) return error
    const reason =
      systemReason(error) ?? (error.cause instanceof Error ? error.cause.message : "it does not answer")
    return refused(
      `The backup location, or the store of images, failed (${reason}). Correct that, and try again.`
    )
  })

interface BackupOrder {
  readonly to: string
  readonly keep: Option.Option<number>
  readonly withSecret: boolean
  readonly release: string
  readonly progress: Progress
}

/** Backs up what the environment names. */
export const backUp = Effect.fnUntraced(
  function* ({ keep, progress, release, to, withSecret }: BackupOrder) {
    const environment = yield* readEnvironment
    // A wrong directory would get a database, and the backup would have nothing in it.
    if (isBeforeFirstStart(environment))
      return yield* refused(
        `There is no database in ${environment.PENNYPRESS_DATA}. Set PENNYPRESS_DATA to the data directory of the service.`
      )
    const client = yield* openDatabase(yield* databaseUrl(environment))
    const place = yield* openPlace(to, { isReadOnly: false })
    const secret = yield* ownSecret(environment)
    return yield* backup({ place, release, secret, withSecret, keep, progress }).pipe(
      Effect.provideService(SqlClient.SqlClient, client),
      Effect.provideService(ObjectStorage, yield* openStore(environment)),
      told
    )
  },
  Effect.scoped,
  Effect.provide([Reactivity.layer, SecureRandom.layerWebCrypto])
)

const openBackups = Effect.fnUntraced(function* (from: string) {
  if (!from.startsWith("s3://")) {
    const fs = yield* FileSystem.FileSystem
    yield* Effect.mapError(fs.readDirectory(join(from, "objects")), (error) =>
      refused(
        ["NotFound", "BadResource"].includes(error.reason._tag)
          ? "There is no such folder with backups."
          : `The folder with the backups cannot be read: ${systemReason(error) ?? error.message}. Run this as an account that may read all of it.`
      )
    )
  }
  return yield* openPlace(from, { isReadOnly: true })
})

/** Removes everything in a directory. */
const emptied = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  for (const name of yield* fs.readDirectory(directory))
    yield* fs.remove(join(directory, name), { recursive: true })
})

/** Makes the data directory, which has to be empty or missing. */
const makeEmpty = Effect.fnUntraced(
  function* (directory: string) {
    const fs = yield* FileSystem.FileSystem
    const isThere = yield* fs.exists(directory)
    if (isThere && (yield* fs.readDirectory(directory)).length > 0)
      return yield* refused(`${directory} is not empty. Use an empty or a new folder.`)
    yield* makeDataDirectory(directory)
  },
  Effect.catchTag(["DataDirectoryUnusable", "PlatformError"], (error) =>
    Effect.fail(
      refused(
        `The data directory cannot be created (${systemReason(error) ?? error.message}). Check its path, and that this account may write there.`
      )
    )
  )
)

interface RestoreOrder {
  readonly from: string
  readonly backup: Option.Option<string>
  readonly into: string
  readonly progress: Progress
}

/** Restores a backup into an empty data directory. Returns its name, and the environment of the restored service. */
export const restoreInto = Effect.fnUntraced(
  function* ({ backup: wanted, from, into, progress }: RestoreOrder) {
    const environment = { ...(yield* readEnvironment), PENNYPRESS_DATA: resolve(into) }
    const place = yield* openBackups(from)
    const found = yield* findBackup(place, wanted)
    const secret = yield* secretOf(place, found, environment.SERVER_SECRET)
    if (!areServerSecrets(Redacted.value(secret)))
      return yield* refused("The secret in this backup is too short to be one.")
    yield* makeEmpty(environment.PENNYPRESS_DATA)
    const filling = Effect.gen(function* () {
      const url = yield* databaseUrl(environment)
      const client = yield* openDatabase(url)
      yield* restore(place, found, { url, progress }).pipe(
        Effect.provideService(SqlClient.SqlClient, client),
        Effect.provideService(ObjectStorage, yield* openStore(environment))
      )
      const fs = yield* FileSystem.FileSystem
      if (Option.isNone(environment.DATABASE_URL))
        yield* fs.writeFileString(secretFile(environment), `${Redacted.value(secret)}\n`, { mode: 0o600 })
    })
    // A half restored folder would start as a site without posts.
    yield* Effect.onError(Effect.scoped(filling), () => Effect.ignore(emptied(environment.PENNYPRESS_DATA)))
    return { name: found.name, environment }
  },
  told,
  Effect.scoped,
  Effect.provide([Reactivity.layer, SecureRandom.layerWebCrypto])
)
