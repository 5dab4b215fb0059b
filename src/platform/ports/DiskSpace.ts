import { Context, Effect } from "effect"

/** The room on a disk, in bytes. */
export interface Room {
  readonly freeBytes: number
  readonly totalBytes: number
}

export interface DiskSpace {
  /** The room on the disk of the data directory; undefined where it cannot be told. */
  readonly now: Effect.Effect<Room | undefined>
}

/** The disk of the data directory. The default tells nothing. */
export const DiskSpace = Context.Reference<DiskSpace>("pennypress/platform/ports/DiskSpace", {
  defaultValue: () => ({ now: Effect.undefined })
})
