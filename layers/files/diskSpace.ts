import { statfs } from "node:fs/promises"
import { Effect, Layer } from "effect"
import { DiskSpace } from "../../src/platform/ports/DiskSpace.ts"

/** Returns the room on the disk of a path. Fails for a path that does not exist. */
export const roomAt = (path: string) =>
  Effect.map(
    Effect.tryPromise(() => statfs(path)),
    ({ bavail, blocks, bsize }) => ({ freeBytes: bavail * bsize, totalBytes: blocks * bsize })
  )

/** Tells the room on the disk of a directory. */
export const layer = (directory: string) =>
  Layer.succeed(DiskSpace, { now: Effect.orElseSucceed(roomAt(directory), () => undefined) })
