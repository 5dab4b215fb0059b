import type { Effect } from "effect"
import type { Validation } from "../../../../schemas/platform/errors/common.ts"
import type { StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import type { Operation } from "../operation/operation.ts"
import type { ReceivedFile } from "../operation/settlement.ts"

/** Places of streamed files that are whole in memory at the same time. */
export const PLACES = 4

/** Keeps a file whose bytes have all arrived, or refuses it. */
type Keeping = Effect.Effect<ReceivedFile, Validation | StorageUnavailable>

/**
 * The rules of one kind of file, from its first byte to its durable checkpoint. Everything else about an upload is the same
 * for all kinds.
 */
export interface FileKind {
  /** Returns the refusal of a file by its media type and first bytes, before the rest is received. */
  readonly refusal: (mediaType: string, firstBytes: Uint8Array) => Validation | undefined
  /** Returns the media type of a staged file by that of its part. */
  readonly stagedType: (mediaType: string) => string
  /** Checks a file that is in memory and makes it durable as the staged file. Takes the parts over. */
  readonly keepCollected: (
    operation: Operation,
    parts: ReadonlyArray<Uint8Array>,
    mediaType: string
  ) => Keeping
  /** Reads the staged file whole, and checks it. */
  readonly keepStaged: (operation: Operation, mediaType: string) => Keeping
  /** The places that a staged file takes of those for files that are whole in memory. */
  readonly places: number
}
