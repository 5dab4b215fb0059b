import { createHash } from "node:crypto"
import { mkdir, mkdtemp, open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, Stream } from "effect"
import { ImportReaderUnavailable } from "../../src/publishing/imports/ImportReader.ts"

const unavailable = (cause: unknown) => new ImportReaderUnavailable({ cause })

/** Begins the names of the folders of files. */
const FOLDER = "import-"

/** Age of a folder from which no process reads its file any more. */
const ABANDONED_MILLIS = 60 * 60_000

/** Removes the folders that killed processes left. Those of other processes that are at work are younger. */
export const removeAbandoned = Effect.fnUntraced(function* (directory: string) {
  const before = (yield* Clock.currentTimeMillis) - ABANDONED_MILLIS
  const removing = async () => {
    for (const name of await readdir(directory)) {
      const folder = join(directory, name)
      if (name.startsWith(FOLDER) && (await stat(folder)).mtimeMs < before)
        await rm(folder, { recursive: true, force: true })
    }
  }
  // Another process may remove the same folder, and there may be none yet.
  yield* Effect.ignore(Effect.tryPromise(removing))
})

/**
 * Writes the bytes of a file into a temporary one of the directory, which is removed with the scope. Returns its path, its size in
 * bytes and its SHA-256 in hex. Fails with `ImportReaderUnavailable` when it cannot be written.
 */
export const stagedFile = Effect.fnUntraced(function* <E>(
  directory: string,
  bytes: Stream.Stream<Uint8Array, E>
) {
  yield* removeAbandoned(directory)
  const folder = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        await mkdir(directory, { recursive: true, mode: 0o700 })
        return mkdtemp(join(directory, FOLDER))
      },
      catch: unavailable
    }),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
  )
  const path = join(folder, "file")
  const file = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(path, "wx", 0o600), catch: unavailable }),
    (handle) => Effect.promise(() => handle.close())
  )
  const hash = createHash("sha256")
  let byteSize = 0
  yield* Stream.runForEach(bytes, (part) =>
    Effect.tryPromise({
      try: () => {
        hash.update(part)
        byteSize += part.length
        return file.writeFile(part)
      },
      catch: unavailable
    })
  )
  return { path, byteSize, sha256: hash.digest("hex") }
})
