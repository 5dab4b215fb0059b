import { Effect } from "effect"
import { DiskSpace } from "../../../platform/ports/DiskSpace.ts"

/** Bytes of the disk that imports leave free. */
const FREE_BYTES_MIN = 1024 * 1024 * 1024

/** Makes the function that returns true while this many more bytes leave enough of the disk free, or its room is not known. */
export const makeHasRoom = Effect.map(
  DiskSpace,
  (disk) => (bytes: number) =>
    Effect.map(disk.now, (room) => room === undefined || room.freeBytes - bytes >= FREE_BYTES_MIN)
)
