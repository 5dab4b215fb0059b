import { Effect, Option, Redacted, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { ObjectStorage } from "../../src/platform/ports/ObjectStorage.ts"
import { newestMigrations } from "../postgres/migrate.ts"
import { isMarker } from "../processes/marker.ts"
import { fingerprintsOf, OBJECTS, type Progress } from "./backup.ts"
import { BackupDamaged, openFile, refused, unzipped } from "./files.ts"
import { type File, isName, keysOf, Manifest, StoredFile, type Table } from "./Manifest.ts"
import { type Columns, insert, tablesOf } from "./tables.ts"
import { withoutRules } from "./withoutRules.ts"

const decodeManifest = Schema.decodeUnknownEffect(Schema.fromJsonString(Manifest))
const decodeLine = Schema.decodeUnknownEffect(Schema.fromJsonString(StoredFile))

const inPlace = <A, E, R>(place: ObjectStorage["Service"], effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, ObjectStorage, place)

/** Finds a backup of a place: the one with this name, or the newest complete one. */
export const findBackup = Effect.fn("findBackup")(function* (
  place: ObjectStorage["Service"],
  wanted: Option.Option<string>
) {
  const keys = yield* Stream.runCollect(place.list(""))
  const names = keys
    .map((key) => key.split("/", 1)[0] ?? "")
    .filter((name, index) => isName(name) && keys[index] === keysOf(name).manifest)
    .toSorted()
  const name = Option.getOrElse(wanted, () => names.at(-1) ?? "")
  if (!names.includes(name))
    return yield* refused(
      names.length === 0
        ? "There is no complete backup in this place."
        : `There is no complete backup "${name}" in this place. It has ${names.join(", ")}.`
    )
  const manifest = yield* place.read(keysOf(name).manifest).pipe(
    Effect.flatMap((bytes) => decodeManifest(new TextDecoder().decode(bytes))),
    Effect.mapError(() =>
      refused(
        `The manifest of ${name} is of another kind, or damaged. Restore another backup: name it with --backup.`
      )
    )
  )
  return { name, manifest }
})

/** Returns the secret of a backup: the one that is given, or the one in the backup. */
export const secretOf = Effect.fn("secretOf")(function* (
  place: ObjectStorage["Service"],
  { manifest, name }: { readonly manifest: Manifest; readonly name: string },
  given: Option.Option<Redacted.Redacted>
) {
  const kept = manifest.hasSecret
    ? Option.some(Redacted.make(new TextDecoder().decode(yield* place.read(keysOf(name).secret))))
    : Option.none()
  const secret = Option.orElse(given, () => kept)
  if (Option.isNone(secret))
    return yield* refused(
      "The secret of the service is not in this backup. Put it into SERVER_SECRET, and restore again."
    )
  if (!fingerprintsOf(secret.value).includes(manifest.secretFingerprint))
    return yield* refused(
      "SERVER_SECRET is not the secret of the service that made this backup. With another one, sessions, mails and links would be lost."
    )
  return secret.value
})

/** Reads every file of the database once, before anything is changed. */
const verified = Effect.fnUntraced(function* (
  place: ObjectStorage["Service"],
  manifest: Manifest,
  progress: Progress
) {
  const files = [...manifest.tables.map(({ file }) => file), manifest.objects]
  const verify = (file: File, at: number) =>
    Effect.andThen(progress("checking files", at, files.length), Stream.runDrain(openFile(file)))
  yield* inPlace(place, Effect.forEach(files, verify, { discard: true }))
})

/** Lines that one statement writes, and their characters, at most. */
const LINES = 1_000
const CHARACTERS = 1_000_000

/** Puts the lines of statements together. A longer line is alone. */
const batches = Stream.mapAccum(
  () => ({ lines: new Array<string>(), characters: 0 }),
  (batch, line: string) => {
    const isFull = batch.lines.length === LINES || batch.characters + line.length > CHARACTERS
    const next = isFull ? { lines: [], characters: 0 } : batch
    next.lines.push(line)
    next.characters += line.length
    return [next, isFull && batch.lines.length > 0 ? [batch.lines] : []] as const
  },
  { onHalt: ({ lines }) => (lines.length > 0 ? [lines] : []) }
)

const filled = Effect.fnUntraced(function* (
  place: ObjectStorage["Service"],
  { file, rows }: Table,
  table: Columns,
  progress: Progress
) {
  const sql = yield* SqlClient.SqlClient
  let done = 0
  const write = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
    yield* insert(sql, table, lines)
    done += lines.length
    yield* progress(table.name, done, rows)
  })
  // The next lines are read while PostgreSQL takes these in.
  const read = Stream.buffer(batches(unzipped(openFile(file))), { capacity: 1 })
  yield* inPlace(place, Stream.runForEach(read, write))
  if (done !== rows)
    return yield* new BackupDamaged({
      message: `${file.key} has ${done} rows, and the manifest says ${rows}`
    })
})

/** Returns each table of a manifest with its columns here. A backup of the same migration has all tables and no others. */
const fillsOf = Effect.fnUntraced(function* ({ tables }: Manifest) {
  const byName = new Map((yield* tablesOf).map((table) => [table.name, table]))
  const fills: Array<readonly [Table, Columns]> = []
  for (const table of tables) {
    const found = byName.get(table.name)
    if (found === undefined)
      return yield* refused(
        `This release has no table ${table.name}. Restore with the release that made the backup.`
      )
    fills.push([table, found])
    byName.delete(table.name)
  }
  for (const name of byName.keys())
    return yield* refused(`The manifest of the backup lacks the table ${name}: it was altered.`)
  return fills
})

const database = Effect.fnUntraced(function* (
  place: ObjectStorage["Service"],
  fills: ReadonlyArray<readonly [Table, Columns]>,
  progress: Progress
) {
  const sql = yield* SqlClient.SqlClient
  const own = fills.map(([, columns]) => columns)
  const names = sql.csv(own.map(({ name }) => sql`${sql(name)}`))
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // The migrations have filled some tables, such as that of categories.
      yield* sql`truncate ${names}`.unprepared
      yield* withoutRules(
        own,
        Effect.forEach(fills, ([table, columns]) => filled(place, table, columns, progress), {
          discard: true
        }),
        progress
      )
    })
  )
  // Without its statistics, the first requests would have slow plans.
  yield* progress("collecting statistics", 0, own.length)
  yield* sql`vacuum analyze ${names}`.unprepared
})

const objects = Effect.fnUntraced(function* (
  place: ObjectStorage["Service"],
  name: string,
  { objectCount, objects: list }: Manifest,
  progress: Progress
) {
  const store = yield* ObjectStorage
  let done = 0
  const restore = Effect.fnUntraced(function* (line: string) {
    const { contentType, key, ...file } = yield* decodeLine(line)
    const body = openFile({ ...file, key: keysOf(name).object(key) })
    yield* store.put(key, Stream.provideService(body, ObjectStorage, place), { contentType })
    done += 1
    if (done % 100 === 0) yield* progress("objects", done, objectCount)
  })
  const restored = Stream.mapEffect(unzipped(openFile(list)), restore, {
    concurrency: OBJECTS,
    unordered: true
  })
  yield* inPlace(place, Stream.runDrain(restored))
  yield* progress("objects", done, objectCount)
})

/**
 * Restores a backup into an empty database with its tables, and into an empty store. The database is restored whole or
 * not at all.
 */
export const restore = Effect.fn("restore")(function* (
  place: ObjectStorage["Service"],
  { manifest, name }: { readonly manifest: Manifest; readonly name: string },
  progress: Progress
) {
  const store = yield* ObjectStorage
  const first = yield* Stream.runHead(Stream.filter(store.list(""), (key) => !isMarker(key)))
  if (Option.isSome(first))
    return yield* refused("The store of images is not empty. Restore into an empty one.")
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly used: boolean }>`select exists (select from owners) as used`
  if (row?.used === true) return yield* refused("The database has accounts. Restore into an empty one.")
  const { database: migration } = yield* newestMigrations
  if (migration !== manifest.migration)
    return yield* refused(
      `The backup is of migration ${manifest.migration}, and this release makes a database of ${migration}. Restore it with the release that made it, and upgrade afterwards.`
    )
  const fills = yield* fillsOf(manifest)
  yield* verified(place, manifest, progress)
  yield* objects(place, name, manifest, progress)
  yield* database(place, fills, progress)
})
