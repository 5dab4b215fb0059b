import { Effect, FileSystem, Path, type PlatformError, type Scope } from "effect"

/** Files and directories are for the service's own user alone. */
const FILE_MODE = 0o600
const DIRECTORY_MODE = 0o700

/** A file that is being written beside its place, and that is gone with the scope unless it was committed. */
export interface PendingFile {
  readonly append: (bytes: Uint8Array) => Effect.Effect<void, PlatformError.PlatformError>
  /** Puts the file in its place, which is below the root, over whatever is there. To be called once, at the end. */
  readonly commit: (target: string) => Effect.Effect<void, PlatformError.PlatformError>
}

/**
 * Writing that a power cut cannot take back, in a directory `root` that is made when absent: fsync of the file,
 * rename, fsync of the directory. A reader sees the old file or the new one, never a part. Writes and fsyncs cannot
 * be interrupted, as a file descriptor that is closed under a running write may by then be another file's.
 */
export const makeDurableFiles = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  /** Directories whose entry in the one above is known to be on the disk. */
  const durable = new Set<string>([root])
  const forget = Effect.sync(() => {
    durable.clear()
    durable.add(root)
  })

  const syncDirectory = (directory: string) =>
    Effect.uninterruptible(
      Effect.scoped(Effect.flatMap(fs.open(directory, { flag: "r" }), (handle) => handle.sync))
    )

  const makeOne = (directory: string) =>
    fs
      .makeDirectory(directory, { mode: DIRECTORY_MODE })
      .pipe(Effect.catchReason("PlatformError", "AlreadyExists", () => Effect.void))

  const makeRoot: (directory: string) => Effect.Effect<void, PlatformError.PlatformError> = Effect.fnUntraced(
    function* (directory) {
      if (yield* fs.exists(directory)) return
      yield* makeRoot(path.dirname(directory))
      yield* makeOne(directory)
      yield* syncDirectory(path.dirname(directory))
    }
  )

  /** Makes a directory below the root and those between, and sees to it that they stay. */
  const makeDirectory: (directory: string) => Effect.Effect<void, PlatformError.PlatformError> =
    Effect.fnUntraced(function* (directory) {
      if (durable.has(directory)) return
      yield* makeDirectory(path.dirname(directory))
      yield* makeOne(directory)
      // Another process may have made it just now and not have come to this.
      yield* syncDirectory(path.dirname(directory))
      durable.add(directory)
    })

  const create: (temporary: string) => Effect.Effect<PendingFile, PlatformError.PlatformError, Scope.Scope> =
    Effect.fnUntraced(function* (temporary) {
      yield* makeDirectory(path.dirname(temporary))
      let isPending = true
      yield* Effect.addFinalizer(() =>
        isPending ? Effect.ignore(fs.remove(temporary, { force: true })) : Effect.void
      )
      const open = fs.open(temporary, { flag: "wx", mode: FILE_MODE })
      const file = yield* Effect.catchReason(open, "PlatformError", "NotFound", () =>
        // Somebody emptied the root while we ran, as one may an outbox.
        forget.pipe(
          Effect.andThen(makeRoot(root)),
          Effect.andThen(makeDirectory(path.dirname(temporary))),
          Effect.andThen(open)
        )
      )
      const commit = Effect.fnUntraced(
        function* (target: string) {
          yield* file.sync
          yield* makeDirectory(path.dirname(target))
          yield* fs.rename(temporary, target)
          isPending = false
          yield* syncDirectory(path.dirname(target))
        },
        Effect.tapError(() => forget),
        Effect.uninterruptible
      )
      return { append: (bytes) => Effect.uninterruptible(file.writeAll(bytes)), commit }
    })

  yield* makeRoot(root)
  return { makeDirectory, syncDirectory, create }
})
