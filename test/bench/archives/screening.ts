import { Effect } from "effect"
import { median } from "../quantiles.ts"
import type { Seed } from "../seed.ts"
import { start } from "../servers.ts"
import { clamd } from "../uploadsClamd.ts"
import { forgetUploads } from "../uploadsRound.ts"
import { screeningBegun, screeningProgress, screeningPutOff } from "../uploadsTargets.ts"
import { attacherTo } from "./client.ts"
import { archiveOf } from "./files.ts"
import { archiveTargets } from "./targets.ts"

const ARCHIVES = 40
const ARCHIVE_BYTES = 5 * 1024 * 1024
const ATTACHED_AT_ONCE = 4
const PATIENCE_SECONDS = 120
const DELAY_P99_MAX = 20

/** ZIPs that were cleared in a second, and waits for the event loop meanwhile; medians of the rounds. */
export interface ArchiveScreening {
  readonly perSecond: number
  readonly cpuMillis: number
  readonly delayP99: number
  readonly hasScanner: boolean
}

/** Screens a queue of ZIPs of 5 MiB as the settings are by default, with a clamd of one signature where there is one. */
export const archiveScreening = Effect.fnUntraced(function* (
  { seed, url }: { readonly seed: Seed; readonly url: string },
  { rounds }: { readonly rounds: number }
) {
  const scanner = yield* clamd
  const scanned = { CLAMD_URL: scanner ?? "", SCANNER_DEFINITIONS_MAX_AGE_DAYS: "off" }
  const service = yield* start("pennypress", url, {}, scanner === undefined ? { SCANNER: "none" } : scanned)
  const archives = [archiveOf(1, ARCHIVE_BYTES), archiveOf(2, ARCHIVE_BYTES)]

  const allDecided = Effect.fnUntraced(function* () {
    for (let waited = 0; waited < PATIENCE_SECONDS; waited += 0.1) {
      const progress = yield* screeningProgress()
      if (progress.waiting === 0 && progress.lastAt !== null) return progress
      yield* Effect.sleep("100 millis")
    }
    return yield* Effect.die(new Error(`ZIPs were not screened in ${PATIENCE_SECONDS} seconds`))
  })

  const round = Effect.fnUntraced(function* () {
    const targets = yield* archiveTargets(seed)
    yield* screeningPutOff()
    const { attach, close } = attacherTo(service.url, targets, archives)
    yield* Effect.promise(async () => {
      const attachSome = async (number: number) => {
        for (let n = number; n < ARCHIVES - 1; n += ATTACHED_AT_ONCE) await attach()
      }
      await Promise.all(Array.from({ length: ATTACHED_AT_ONCE }, (_, number) => attachSome(number)))
    })
    const finish = service.measure()
    const delay = service.watchEventLoop()
    const begunAt = Date.now()
    yield* screeningBegun()
    // The last one says to the service that there is something to do.
    yield* Effect.promise(() => attach().finally(close))
    const { cleared, lastAt } = yield* allDecided()
    const { cpuSeconds } = finish()
    const delayP99 = yield* Effect.promise(delay)
    yield* forgetUploads(service)
    if (cleared !== ARCHIVES || lastAt === null)
      return yield* Effect.die(new Error(`Of ${ARCHIVES} ZIPs ${cleared} were cleared`))
    return {
      perSecond: (ARCHIVES * 1000) / (lastAt.getTime() - begunAt),
      cpuMillis: (cpuSeconds * 1000) / ARCHIVES,
      delayP99
    }
  })

  yield* round()
  const all = yield* Effect.forEach(Array.from({ length: rounds }), round)
  return {
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    cpuMillis: median(all.map(({ cpuMillis }) => cpuMillis)),
    delayP99: median(all.map(({ delayP99 }) => delayP99)),
    hasScanner: scanner !== undefined
  } satisfies ArchiveScreening
}, Effect.scoped)

export const archiveScreeningTable = ({
  cpuMillis,
  delayP99,
  hasScanner,
  perSecond
}: ArchiveScreening): string =>
  [
    `Screen ${ARCHIVES} ZIPs of 5 MiB, ${hasScanner ? "with clamd and a database of one signature" : "without a scanner"}`,
    `${perSecond.toFixed(1)} cleared/s, ${cpuMillis.toFixed(0)} ms CPU of the service's own process for each; ` +
      `event loop delay p99 ${delayP99.toFixed(1)} ms (target: below ${DELAY_P99_MAX})`
  ].join("\n")

/** Names the missed target. */
export const archiveScreeningMissed = ({ delayP99 }: ArchiveScreening): ReadonlyArray<string> =>
  delayP99 < DELAY_P99_MAX
    ? []
    : [`event loop p99 ${delayP99.toFixed(1)} ms beside the screening of ZIPs (target ${DELAY_P99_MAX})`]
