import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Redacted } from "effect"
import { tableOf } from "../report.ts"
import type { Seed } from "../seed.ts"
import { archiveAdmission } from "./admission.ts"
import { slowDownloads, slowDownloadsMissed, slowDownloadsTable } from "./downloads.ts"
import { archiveScreening, archiveScreeningMissed, archiveScreeningTable } from "./screening.ts"

/** Names of measurements of ZIPs for `--only`. */
export const archiveMeasurements = ["archives", "archive-screening", "slow-downloads"] as const

interface Chosen {
  readonly rounds: number
  readonly seconds: number
  readonly isChosen: (name: (typeof archiveMeasurements)[number]) => boolean
}

/** Measures ZIPs, on a database that no other process uses. Prints the numbers as they come. */
export const archives = Effect.fnUntraced(function* (
  made: { readonly seed: Seed; readonly url: string },
  { isChosen, ...length }: Chosen
) {
  const watch = PgClient.layer({ url: Redacted.make(made.url), maxConnections: 1, applicationName: "bench" })
  return yield* Effect.gen(function* () {
    const missed: Array<string> = []
    const admitted = isChosen("archives") ? [yield* archiveAdmission(made, length)] : []
    for (const result of admitted) yield* Console.log(`${tableOf(result)}\n`)
    if (isChosen("archive-screening")) {
      const screening = yield* archiveScreening(made, length)
      yield* Console.log(`${archiveScreeningTable(screening)}\n`)
      missed.push(...archiveScreeningMissed(screening))
    }
    if (isChosen("slow-downloads")) {
      const downloads = yield* slowDownloads(made, length)
      yield* Console.log(`${slowDownloadsTable(downloads)}\n`)
      missed.push(...slowDownloadsMissed(downloads))
    }
    return { admitted, missed }
  }).pipe(Effect.provide(watch))
})
