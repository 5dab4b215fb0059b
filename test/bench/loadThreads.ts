import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { LoadRequest } from "./loadRequest.ts"
import type { LoadOrder } from "./loadThread.ts"
import type { Operation } from "./operation.ts"

/** Different requests. */
const READS = 2_000

/**
 * A thread that loads, with so much room that its garbage seldom needs collecting: the pauses would be taken for the
 * server's. What is measured by itself has one of its own.
 */
export const loadThread = Effect.acquireRelease(
  Effect.sync(
    () =>
      new Worker(new URL("loadThread.ts", import.meta.url), {
        resourceLimits: { maxYoungGenerationSizeMb: 128 }
      })
  ),
  (thread) => Effect.promise(() => thread.terminate())
)

/** The milliseconds of everything that the thread did. */
export const load = async (thread: Worker, order: LoadOrder): Promise<ReadonlyArray<number>> => {
  thread.postMessage(order, [])
  const [times] = await once(thread, "message")
  return times
}

/** The newest Posts and one Post in turn, which is what most readers ask for. */
export const readsOf = (operations: ReadonlyArray<Operation>): ReadonlyArray<LoadRequest> => {
  const reads = operations.filter(({ name }) => name === "newest" || name === "post")
  return Array.from({ length: READS }, (_, turn) => reads[turn % reads.length]!.request())
}
