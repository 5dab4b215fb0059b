import { createHmac } from "node:crypto"
import { DateTime, Effect, Option, Redacted, Ref, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { type ObjectKey, ObjectStorage } from "../../src/platform/ports/ObjectStorage.ts"
import { DAY_MILLIS, later } from "../../src/platform/time/now.ts"
import { secretsOf } from "../crypto/ServerSecret.ts"
import { newestMigrations } from "../postgres/migrate.ts"
import { refused, writeFile, zipped } from "./files.ts"
import { isName, keysOf, Manifest, momentOf, nameOf, StoredFile, type Table } from "./Manifest.ts"
import { linesOf, tablesOf } from "./tables.ts"

/** Tells a person how far a command is: how many are done, of how many if that is known. */
export type Progress = (what: string, done: number, all?: number) => Effect.Effect<void>

/** Objects that are copied at the same time. */
export const OBJECTS = 8

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

const encoder = new TextEncoder()
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

/**
 * Removes the oldest complete backups of a place, and those that were cut off before them. One that began in the last day
 * may still be running.
 */
const prune = Effect.fnUntraced(function* (place: ObjectStorage["Service"], keep: number, at: Date) {
  const keys = yield* Stream.runCollect(place.list(""))
  const nameIn = (key: string) => key.split("/", 1)[0] ?? ""
  const complete = keys
    .filter((key) => isName(nameIn(key)) && key === keysOf(nameIn(key)).manifest)
    .map(nameIn)
    .toSorted()
  const oldest = complete.at(-keep)
  if (oldest === undefined) return
  // The manifest goes first, so that a half removed backup is none.
  const dayBefore = momentOf(later(at, -DAY_MILLIS))
  const isOld = (name: string) =>
    isName(name) && name < oldest && (name < dayBefore || complete.includes(name))
  const old = keys.filter((key) => isOld(nameIn(key)))
  const order = (key: string) => (key.endsWith("/manifest.json") ? 0 : 1)
  yield* Effect.forEach(
    old.toSorted((one, other) => order(one) - order(other)),
    place.remove,
    { discard: true }
  )
})

const WITHIN =
  "The backup location is inside the store of images, so each backup would contain the earlier ones. Name another folder, another bucket, or a prefix that S3_URL does not include."

/** The files of imports, which their authors have. An import that is restored without its file says so. */
const LEFT_OUT = "imports/"

/** Writes the files of a backup, and its manifest at the end. */
const written = Effect.fnUntraced(function* (name: string, takenAt: Date, options: BackupOptions) {
  const { place, progress, release, secret, withSecret } = options
  const store = yield* ObjectStorage
  const keys = keysOf(name)
  const found = new Map<ObjectKey, StoredFile>()
  const { one } = yield* told(progress, "objects")
  const copy = Effect.fnUntraced(function* (key: ObjectKey) {
    if (key.endsWith(keys.begun)) return yield* refused(WITHIN)
    const file = yield* copied(key, keys.object(key), place)
    if (Option.isSome(file)) found.set(key, file.value)
    yield* one
  })
  const pass = store.list("").pipe(
    Stream.filter((key) => !found.has(key) && !key.startsWith(LEFT_OUT)),
    Stream.mapEffect(copy, { concurrency: OBJECTS, unordered: true }),
    Stream.runDrain
  )
  yield* place.put(keys.begun, encoder.encode(takenAt.toISOString()), { contentType: "text/plain" })
  yield* pass
  const { migration, tables } = yield* database(name, options)
  yield* pass
  yield* progress("objects", found.size)
  const lines = Stream.mapEffect(Stream.fromIterable(found.values()), (file) => encodeLine(file))
  const list = Effect.gen(function* () {
    const objects = yield* writeFile(keys.objects, zipped(lines))
    if (withSecret) yield* writeFile(keys.secret, Stream.make(encoder.encode(Redacted.value(secret))))
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
      Stream.make(encoder.encode(yield* encodeManifest(manifest))),
      "application/json"
    )
    return manifest
  })
  return yield* Effect.provideService(list, ObjectStorage, place)
})

/** Removes what there is of a backup. */
const removed = (name: string, place: ObjectStorage["Service"]) =>
  Effect.flatMap(Stream.runCollect(place.list(`${name}/`)), (keys) =>
    Effect.forEach(keys, place.remove, { discard: true })
  )

/**
 * Makes a backup while the service runs. Objects never change, so those that there are come first, then the database as
 * it is at one moment, then the objects that came meanwhile. So each object that the database names is there, unless it was
 * removed in the last of these steps. A backup that fails or is stopped leaves nothing, so that it fills no disk. Returns the
 * manifest.
 */
export const backup = Effect.fn("backup")(function* (options: BackupOptions) {
  const { keep, place } = options
  const takenAt = DateTime.toDateUtc(yield* DateTime.now)
  const name = nameOf(takenAt, yield* (yield* SecureRandom.SecureRandom).randomBytes(2))
  const manifest = yield* Effect.onError(written(name, takenAt, options), () =>
    Effect.ignore(removed(name, place))
  )
  if (Option.isSome(keep)) yield* prune(place, keep.value, takenAt)
  return { name, manifest }
})
