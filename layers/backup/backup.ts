import { createHmac } from "node:crypto"
import { DateTime, Effect, Option, Redacted, Ref, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { type ObjectKey, ObjectStorage } from "../../src/platform/ports/ObjectStorage.ts"
import { secretsOf } from "../crypto/ServerSecret.ts"
import { newestMigrations } from "../postgres/migrate.ts"
import { isMarker } from "../processes/marker.ts"
import { writeFile, zipped } from "./files.ts"
import { isName, keysOf, Manifest, nameOf, StoredFile, type Table } from "./Manifest.ts"
import { linesOf, tablesOf } from "./tables.ts"

/** Tells a person how far a command is. */
export type Progress = (what: string, done: number) => Effect.Effect<void>

export interface BackupOptions {
  /** The place of backups. */
  readonly place: ObjectStorage["Service"]
  readonly release: string
  readonly secret: Redacted.Redacted
  readonly withSecret: boolean
  /** Complete backups that stay in the place, this one among them; all of them without a number. */
  readonly keep: Option.Option<number>
  readonly progress: Progress
}

/** Returns a text by which each secret of a configuration is recognized, the current one first. */
export const fingerprintsOf = (secrets: Redacted.Redacted) =>
  secretsOf(Redacted.value(secrets)).map((secret) =>
    createHmac("sha256", secret).update("pennypress backup").digest("hex").slice(0, 32)
  )

const encodeManifest = Schema.encodeEffect(Schema.fromJsonString(Manifest))
const encodeLine = Schema.encodeEffect(Schema.fromJsonString(StoredFile))

/** Counts what passes, and tells it every thousand. */
const told = Effect.fnUntraced(function* (progress: Progress, what: string) {
  const count = yield* Ref.make(0)
  return {
    count: Ref.get(count),
    one: Effect.flatMap(
      Ref.updateAndGet(count, (n) => n + 1),
      (n) => (n % 1_000 === 0 ? progress(what, n) : Effect.void)
    )
  }
})

/** Writes each table as it was at one moment. */
const database = Effect.fnUntraced(function* (name: string, { place, progress }: BackupOptions) {
  const sql = yield* SqlClient.SqlClient
  const keys = keysOf(name)
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set transaction isolation level repeatable read, read only`.unprepared
      const { database: migration } = yield* newestMigrations
      const tables: Array<Table> = []
      for (const table of yield* tablesOf) {
        const { count, one } = yield* told(progress, table.name)
        const lines = Stream.tap(
          Stream.map(linesOf(sql, table), ({ line }) => line),
          () => one
        )
        const file = yield* Effect.provideService(
          writeFile(keys.table(table.name), zipped(lines)),
          ObjectStorage,
          place
        )
        tables.push({ name: table.name, rows: yield* count, file })
        yield* progress(table.name, yield* count)
      }
      return { migration, tables }
    })
  )
})

/** Copies an object. None if it was removed meanwhile. */
const copied = (key: ObjectKey, to: ObjectKey, place: ObjectStorage["Service"]) =>
  Effect.gen(function* () {
    const { body, contentType } = yield* (yield* ObjectStorage).get(key)
    const file = yield* Effect.provideService(writeFile(to, body, contentType), ObjectStorage, place)
    return { ...file, key, contentType }
  }).pipe(
    Effect.scoped,
    Effect.asSome,
    Effect.catchTag("ObjectNotFound", () => Effect.succeedNone)
  )

/** Removes the oldest complete backups of a place, and those that were cut off before them. */
const prune = Effect.fnUntraced(function* (place: ObjectStorage["Service"], keep: number) {
  const keys = yield* Stream.runCollect(place.list(""))
  const nameIn = (key: string) => key.split("/", 1)[0] ?? ""
  const complete = keys
    .filter((key) => isName(nameIn(key)) && key === keysOf(nameIn(key)).manifest)
    .map(nameIn)
    .toSorted()
  const oldest = complete.at(-keep)
  if (oldest === undefined) return
  // The manifest goes first, so that a half removed backup is none.
  const old = keys.filter((key) => isName(nameIn(key)) && nameIn(key) < oldest)
  const order = (key: string) => (key.endsWith("/manifest.json") ? 0 : 1)
  yield* Effect.forEach(
    old.toSorted((one, other) => order(one) - order(other)),
    place.remove,
    { discard: true }
  )
})

/**
 * Makes a backup while the service runs. Objects never change, so those that there are come first, then the database as
 * it is at one moment, then the objects that came meanwhile. So each object that the database names is there, unless it was
 * removed in the last of these steps. Returns the manifest.
 */
export const backup = Effect.fn("backup")(function* (options: BackupOptions) {
  const { keep, place, progress, release, secret, withSecret } = options
  const store = yield* ObjectStorage
  const takenAt = DateTime.toDateUtc(yield* DateTime.now)
  const name = nameOf(takenAt)
  const keys = keysOf(name)
  const found = new Map<ObjectKey, StoredFile>()
  const { one } = yield* told(progress, "objects")
  const pass = store.list("").pipe(
    Stream.filter((key) => !found.has(key) && !isMarker(key)),
    Stream.runForEach((key) =>
      Effect.andThen(
        Effect.map(copied(key, keys.object(key), place), (file) => {
          if (Option.isSome(file)) found.set(key, file.value)
        }),
        one
      )
    )
  )
  yield* pass
  const { migration, tables } = yield* database(name, options)
  yield* pass
  yield* progress("objects", found.size)
  const lines = Stream.mapEffect(Stream.fromIterable(found.values()), (file) => encodeLine(file))
  const writing = Effect.gen(function* () {
    const objects = yield* writeFile(keys.objects, zipped(lines))
    if (withSecret)
      yield* writeFile(keys.secret, Stream.make(new TextEncoder().encode(Redacted.value(secret))))
    const manifest: Manifest = {
      format: 1,
      release,
      migration,
      takenAt: takenAt.toISOString(),
      tables,
      objects,
      objectCount: found.size,
      secretFingerprint: fingerprintsOf(secret)[0] ?? "",
      hasSecret: withSecret
    }
    yield* writeFile(
      keys.manifest,
      Stream.make(new TextEncoder().encode(yield* encodeManifest(manifest))),
      "application/json"
    )
    return manifest
  })
  const manifest = yield* Effect.provideService(writing, ObjectStorage, place)
  if (Option.isSome(keep)) yield* prune(place, keep.value)
  return { name, manifest }
})
