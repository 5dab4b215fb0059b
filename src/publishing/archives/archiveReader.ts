import { Effect } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Offload } from "../../platform/ports/Offload.ts"
import { archiveTasks, type ReadArchive, readArchive } from "./archiveTasks.ts"
import type { ArchiveRefusal } from "./refusal.ts"

/** Bytes of an archive that is read in one piece, at most: it has some hundred entries, which take about a millisecond. */
const AT_ONCE_BYTES_MAX = 16 * 1024

const tooExpensive = {
  refusal: {
    code: "too_many_files",
    message: "The archive takes too long to read. Pack fewer files into it."
  }
} as const satisfies { readonly refusal: ArchiveRefusal }

/**
 * Makes a function that checks an archive and digests it without delaying other requests: a small one at once, a larger one
 * in a thread, in turn between owners. Fails with the reason to refuse the archive. Dies with `DependencyUnavailable` when
 * too many files of the owner, or of all owners, wait.
 */
export const makeArchiveReader = Effect.map(Offload, (offload) =>
  Effect.fn("Archives.read")(function* (
    owner: OwnerId,
    bytes: Uint8Array
  ): Effect.fn.Return<ReadArchive, ArchiveRefusal> {
    const answer =
      bytes.length <= AT_ONCE_BYTES_MAX
        ? yield* Effect.promise(() => readArchive(bytes))
        : yield* Effect.catchTag(
            offload.run(archiveTasks.readArchive, bytes, owner),
            "TaskTooExpensive",
            () => Effect.succeed(tooExpensive)
          )
    return "refusal" in answer ? yield* Effect.fail(answer.refusal) : answer
  })
)
