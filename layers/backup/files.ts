import { createHash } from "node:crypto"
import { createGunzip, createGzip } from "node:zlib"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Schema, Stream } from "effect"
import { type ObjectKey, ObjectStorage } from "../../src/platform/ports/ObjectStorage.ts"
import type { File } from "./Manifest.ts"

/** A file of a backup is not what its manifest says. */
export class BackupDamaged extends Schema.TaggedError<BackupDamaged>()("BackupDamaged", {
  message: Schema.String
}) {}

/** A backup cannot be made or restored as it was asked for. The message says why, and what to do. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", {
  message: Schema.String
}) {}

export const refused = (message: string) => new CommandRefused({ message })

/** Counts and hashes the bytes that pass. Read it after the end. */
const makeMeter = () => {
  const hash = createHash("sha256")
  let bytes = 0
  return {
    pass: <E, R>(stream: Stream.Stream<Uint8Array, E, R>) =>
      Stream.tap(stream, (chunk) =>
        Effect.sync(() => {
          hash.update(chunk)
          bytes += chunk.byteLength
        })
      ),
    read: () => ({ bytes, sha256: hash.digest("hex") })
  }
}

/** Writes a file of a backup, and returns its line in the manifest. */
export const writeFile = Effect.fnUntraced(function* <E, R>(
  key: ObjectKey,
  body: Stream.Stream<Uint8Array, E, R>,
  contentType = "application/octet-stream"
) {
  const place = yield* ObjectStorage
  const meter = makeMeter()
  yield* place.put(key, meter.pass(body), { contentType })
  return { key, ...meter.read() } satisfies File
})

const damaged = ({ key }: File, how: string) =>
  new BackupDamaged({ message: `${key} of the backup ${how}. Restore another one: name it with --backup.` })

/** Opens a file of a backup. The stream fails at its end if it is not the one of the manifest. */
export const openFile = (file: File) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const place = yield* ObjectStorage
      const { body } = yield* place.get(file.key)
      const meter = makeMeter()
      const check = Effect.suspend(() => {
        const { bytes, sha256 } = meter.read()
        return bytes === file.bytes && sha256 === file.sha256
          ? Effect.void
          : Effect.fail(damaged(file, "is damaged"))
      })
      return Stream.concat(meter.pass(body), Stream.drain(Stream.fromEffect(check)))
    })
  ).pipe(
    Stream.catchTags({
      ObjectNotFound: () => Stream.fail(damaged(file, "is missing")),
      StorageUnavailable: () => Stream.fail(damaged(file, "cannot be read, or is damaged"))
    })
  )

const encoder = new TextEncoder()

/** Lines that are compressed in one step. */
const LINES = 500

/** Compresses lines. */
export const zipped = <E, R>(lines: Stream.Stream<string, E, R>) =>
  lines.pipe(
    Stream.grouped(LINES),
    Stream.map((some) => encoder.encode(some.map((line) => `${line}\n`).join(""))),
    NodeStream.pipeThroughSimple(() => createGzip())
  )

/** Reads compressed lines. */
export const unzipped = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
  bytes.pipe(
    NodeStream.pipeThroughSimple(() => createGunzip()),
    Stream.decodeText,
    Stream.splitLines
  )
