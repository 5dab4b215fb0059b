import { Effect, Option, Redacted, Schema, Stream } from "effect"
import { ObjectStorage } from "../../src/platform/ports/ObjectStorage.ts"
import { ourSchema } from "../postgres/migrate.ts"
import { type DatabaseSchema, newestOf } from "../postgres/migrations/DatabaseSchema.ts"
import { fingerprintsOf, OBJECTS, type Progress } from "./backup.ts"
import { openFile, refused, unzipped } from "./files.ts"
import { type File, isName, keysOf, Manifest, StoredFile } from "./Manifest.ts"
import { type DatabaseOptions, isUsed, restoreDatabase } from "./restoreDatabase.ts"

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
        : `There is no complete backup "${name}" in this place. These are complete: ${names.join(", ")}.`
    )
  const bytes = yield* place.read(keysOf(name).manifest)
  const manifest = yield* Effect.mapError(decodeManifest(new TextDecoder().decode(bytes)), () =>
    refused(
      `The manifest of ${name} has an unknown format, or is damaged. Restore another backup: name it with --backup.`
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
      "SERVER_SECRET is not the secret of the service that made this backup. With a different one, sessions, mails and links would be lost."
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

/** Fails if the store has objects that the backup has not. A restore that failed left some of the backup's own. */
const assertStore = Effect.fnUntraced(function* (place: ObjectStorage["Service"], manifest: Manifest) {
  const store = yield* ObjectStorage
  const lines = Stream.mapEffect(unzipped(openFile(manifest.objects)), (line) => decodeLine(line))
  const keys = new Set((yield* inPlace(place, Stream.runCollect(lines))).map(({ key }) => key))
  const other = Stream.filter(store.list(""), (key) => !keys.has(key))
  if (Option.isSome(yield* Stream.runHead(other)))
    return yield* refused("The store of images is not empty. Restore into an empty one.")
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

export interface RestoreOptions extends Omit<DatabaseOptions, "schema"> {
  /** Default: the schema of this release. */
  readonly schema?: DatabaseSchema | undefined
}

/**
 * Restores a backup of this release or an earlier one into a database without accounts, and into an empty store. The
 * database gets the tables as they were at the time of the backup, then all rows or none, then the later migrations. A
 * restore that failed can be repeated.
 */
export const restore = Effect.fn("restore")(function* (
  place: ObjectStorage["Service"],
  { manifest, name }: { readonly manifest: Manifest; readonly name: string },
  { progress, schema = ourSchema, url }: RestoreOptions
) {
  const { migration, release } = manifest
  const { code } = yield* newestOf(schema)
  if (migration > code)
    return yield* refused(
      `The backup of release ${release} is at migration ${migration}, but this release has none after ${code}. Restore it with that release, or a newer one.`
    )
  if (yield* isUsed) return yield* refused("The database has accounts. Restore into an empty one.")
  yield* verified(place, manifest, progress)
  yield* assertStore(place, manifest)
  yield* objects(place, name, manifest, progress)
  yield* restoreDatabase(place, manifest, { progress, schema, url })
})
