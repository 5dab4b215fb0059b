import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Round } from "./load.ts"
import { closedLoop } from "./loops.ts"
import type { Server } from "./servers.ts"
import { uploaderTo } from "./uploadsClient.ts"
import type { UploadedImage } from "./uploadsImages.ts"
import { uploadsForgotten, type UploadTargets } from "./uploadsTargets.ts"

const PAUSE = "1 second"

/** Removes what a server stored, and leaves its directories, which it knows to be there. */
const removeFiles = (directory: string) => {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) rmSync(join(entry.parentPath, entry.name), { force: true })
  }
}

/** Leaves nothing of the uploads so far, and waits until what was being screened is. */
export const forgetUploads = Effect.fnUntraced(function* ({ data }: Server) {
  yield* uploadsForgotten()
  yield* Effect.sleep(PAUSE)
  removeFiles(join(data, "objects"))
})

/** So many clients upload images to a server, one after the other; any that is not admitted fails the run. */
export const uploadRound = Effect.fnUntraced(function* (
  server: Server,
  targets: UploadTargets,
  images: ReadonlyArray<UploadedImage>,
  { clients, seconds }: { readonly clients: number; readonly seconds: number }
) {
  const { close, upload } = uploaderTo(server.url, targets, images)
  const finish = server.measure()
  const start = performance.now()
  const latencies = yield* Effect.promise(() => closedLoop({ clients, seconds, run: upload }).finally(close))
  const elapsed = (performance.now() - start) / 1000
  return { ...finish(), requests: latencies.length, seconds: elapsed, latencies } satisfies Round
})
