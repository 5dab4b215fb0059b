import { Effect, Layer } from "effect"
import { now } from "../../../platform/time/now.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import type { Claim } from "../../../platform/work/lease.ts"
import { worker } from "../../../platform/work/worker.ts"
import type { ClaimedImport } from "../rows/importRow.ts"
import { importQueue, IMPORTS, importStatements } from "../rows/imports.sql.ts"
import { ImportSteps } from "./ImportSteps.ts"
import { READING_MILLIS } from "./readFile.ts"
import { LEASE_MILLIS } from "./staying.ts"

/** Imports that a process works on at the same time. Only one of them reads its file. */
const CONCURRENCY = 2

/** Time for the reading of a file, which ends by itself before. */
const PATIENCE_MILLIS = READING_MILLIS + LEASE_MILLIS

/** Supervised fibers that read files and make drafts. Any number of processes share the work. */
export const ImportsWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const steps = yield* ImportSteps
    const imports = yield* importStatements
    const { ring } = (yield* Doorbells).bell(IMPORTS)
    let reading = 0

    yield* worker({
      kind: IMPORTS,
      queue: importQueue,
      concurrency: CONCURRENCY,
      leaseMillis: LEASE_MILLIS,
      patienceMillis: PATIENCE_MILLIS,
      claim: Effect.fnUntraced(function* (claim: Claim) {
        const files = reading === 0 ? yield* imports.claim({ ...claim, limit: 1 }, "files") : []
        reading += files.length
        const limit = claim.limit - files.length
        return limit === 0 ? files : [...files, ...(yield* imports.claim({ ...claim, limit }, "others"))]
      }),
      run: (row: ClaimedImport) =>
        Effect.ensuring(
          steps.step(row),
          Effect.suspend(() => {
            if (row.state === "reading") reading -= 1
            return ring
          })
        ),
      release: (row) => Effect.flatMap(now, (at) => imports.release(row, at)),
      lost: "Imports do not go on",
      regained: "Imports go on again"
    })
  })
)
