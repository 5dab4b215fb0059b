import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Redacted } from "effect"
import { tableOf } from "./report.ts"
import type { Seed } from "./seed.ts"
import { admissions } from "./uploadsAdmission.ts"
import { largeImages, smallImages } from "./uploadsImages.ts"
import { largeUploads, largeUploadsMissed, largeUploadsTable } from "./uploadsLarge.ts"
import { screeningTable, screeningThroughput } from "./uploadsScreening.ts"
import { uploadTargets } from "./uploadsTargets.ts"

/** Names of upload measurements for `--only`. */
export const uploadMeasurements = ["admission", "screening", "large-uploads"] as const

/** The length and choice of measurements. */
interface Chosen {
  readonly rounds: number
  readonly seconds: number
  readonly isChosen: (name: (typeof uploadMeasurements)[number]) => boolean
}

/**
 * Measures uploads, on a database that no other process uses, because every process would screen the admitted images.
 * Prints the numbers as they come.
 */
export const uploads = Effect.fnUntraced(function* (
  { seed, url }: { readonly seed: Seed; readonly url: string },
  { isChosen, ...length }: Chosen
) {
  yield* Console.log("Making photographs …\n")
  const images = isChosen("admission") || isChosen("screening") ? yield* Effect.promise(smallImages) : []
  const watch = PgClient.layer({ url: Redacted.make(url), maxConnections: 1, applicationName: "bench" })
  return yield* Effect.gen(function* () {
    const targets = yield* uploadTargets(seed)
    const admitted = isChosen("admission")
      ? yield* admissions(url, targets, images, length, (result) => Console.log(`${tableOf(result)}\n`))
      : []
    let screening: Effect.Success<ReturnType<typeof screeningThroughput>>
    if (isChosen("screening")) {
      screening = yield* screeningThroughput(url, targets, images, length)
      yield* Console.log(`${screeningTable(screening)}\n`)
    }
    if (!isChosen("large-uploads")) return { admitted, screening, missed: [] }
    const large = yield* largeUploads(url, targets, yield* Effect.promise(largeImages), length)
    yield* Console.log(`${largeUploadsTable(large)}\n`)
    return { admitted, screening, large, missed: largeUploadsMissed(large) }
  }).pipe(Effect.provide(watch))
})
