import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { tasksOf } from "../../platform/ports/tasks.ts"
import { checkArchive } from "./readArchive.ts"
import type { ArchiveRefusal } from "./refusal.ts"

/** Facts of an archive that is accepted. */
export interface ReadArchive {
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string
}

/**
 * Checks an archive and digests it. The result crosses threads, so it is plain data. A thread that has a faster SHA-256,
 * which answers in hex, may replace `digest`.
 */
export const readArchive = async (
  bytes: Uint8Array,
  digest = (all: Uint8Array): string => bytesToHex(sha256(all))
): Promise<ReadArchive | { readonly refusal: ArchiveRefusal }> => {
  const checked = await checkArchive(bytes)
  return Result.isFailure(checked) ? { refusal: checked.failure } : { sha256: digest(bytes) }
}

/** Work on archives that takes some 25 ms for the largest ones. */
export const archiveTasks = tasksOf("files", { readArchive: (bytes: Uint8Array) => readArchive(bytes) })
