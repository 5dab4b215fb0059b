import { Effect, FileSystem, Path, type PlatformError, type Scope } from "effect"
import { sharedRuns } from "./sharedRuns.ts"

/** Only the account of the service reads the files and directories. */
const FILE_MODE = 0o600
const DIRECTORY_MODE = 0o700

/** A file that is written beside its place. The scope removes it unless it is committed. */
export interface PendingFile {
  readonly append: (bytes: Uint8Array) => Effect.Effect<void, PlatformError.PlatformError>
  /** Moves the file to its place below the root, over any earlier file. Call it once, at the end. */
  readonly commit: (target: string) => Effect.Effect<void, PlatformError.PlatformError>
}

/**
 * Makes writes that survive a power cut, in the directory `root`, which is created when absent: fsync of the file,
 * rename, fsync of the directory. A reader sees the old file or the new one. Writes and fsyncs are uninterruptible, as
 * a descriptor closed under a running write may soon be that of another file.
 */
export const makeDurableFiles = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  /** Directories whose entry in their parent is on the disk. */
  const durable = new Set<string>([root])
  const forget = Effect.sync(() => {
    durable.clear()
    durable.add(root)
  })

  // One fsync of a directory covers every change that came before it: concurrent writers share one.
  const syncDirectory = sharedRuns((directory: string) =>
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

  /** Creates a directory below the root and its parents, durably. */
  const makeDirectory: (directory: string) => Effect.Effect<void, PlatformError.PlatformError> =
    Effect.fnUntraced(function* (directory) {
      if (durable.has(directory)) return
      yield* makeDirectory(path.dirname(directory))
      yield* makeOne(directory)
      // Another process may have created it without having reached the fsync.
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
        // An operator may empty the root while the service runs, as with an outbox.
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

  /**
   * Gives the file `from` the name `target` too, and replaces any earlier file there. Removing one name leaves the
   * other. Fails where the file system has no hard links. `temporary` is a name of its own on the same file system.
   */
  const link = Effect.fnUntraced(
    function* (from: string, temporary: string, target: string) {
      yield* makeDirectory(path.dirname(target))
      yield* fs.link(from, temporary)
      // Renaming a file over another name of itself does nothing, and leaves the temporary name.
      yield* Effect.ensuring(
        fs.rename(temporary, target),
        Effect.ignore(fs.remove(temporary, { force: true }))
      )
      yield* syncDirectory(path.dirname(target))
    },
    Effect.tapError(() => forget),
    Effect.uninterruptible
  )

  yield* makeRoot(root)
  return { makeDirectory, syncDirectory, create, link }
})
