import { Effect } from "effect"
import { median } from "./quantiles.ts"
import { start } from "./servers.ts"
import { clamd } from "./uploadsClamd.ts"
import { uploaderTo } from "./uploadsClient.ts"
import type { UploadedImage } from "./uploadsImages.ts"
import { forgetUploads } from "./uploadsRound.ts"
import { screeningBegun, screeningProgress, screeningPutOff, type UploadTargets } from "./uploadsTargets.ts"

const IMAGES_PER_SECOND = 20
const UPLOADS_AT_ONCE = 8
const PATIENCE_SECONDS = 120

/** Operations that were cleared in a second, from when the first was due to the last verdict; median of the rounds. */
export interface ScreeningThroughput {
  readonly perSecond: number
  readonly rounds: ReadonlyArray<number>
  readonly images: number
  /** Processor time of the service's own process for one. */
  readonly cpuMillis: number
}

/** Screens a queue of images as the settings are by default, with a clamd of a small database; undefined without one. */
export const screeningThroughput = Effect.fnUntraced(function* (
  url: string,
  targets: UploadTargets,
  images: ReadonlyArray<UploadedImage>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
) {
  const scanner = yield* clamd
  if (scanner === undefined) return undefined
  const service = yield* start(
    "pennypress",
    url,
    {},
    {
      CLAMD_URL: scanner,
      // The database of one signature has no date.
      SCANNER_DEFINITIONS_MAX_AGE_DAYS: "off"
    }
  )

  const allDecided = Effect.fnUntraced(function* () {
    for (let waited = 0; waited < PATIENCE_SECONDS; waited += 0.1) {
      const progress = yield* screeningProgress()
      if (progress.waiting === 0 && progress.lastAt !== null) return progress
      yield* Effect.sleep("100 millis")
    }
    return yield* Effect.die(new Error(`Images were not screened in ${PATIENCE_SECONDS} seconds`))
  })

  const round = Effect.fnUntraced(function* (count: number) {
    yield* screeningPutOff()
    const { close, upload } = uploaderTo(service.url, targets, images)
    yield* Effect.promise(async () => {
      const uploadSome = async (number: number) => {
        for (let n = number; n < count - 1; n += UPLOADS_AT_ONCE) await upload()
      }
      await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, (_, number) => uploadSome(number)))
    })
    const finish = service.measure()
    const begunAt = Date.now()
    yield* screeningBegun()
    // The last one says to the service that there is something to do.
    yield* Effect.promise(() => upload().finally(close))
    const { cleared, lastAt, others } = yield* allDecided()
    const { cpuSeconds } = finish()
    yield* forgetUploads(service)
    if (cleared !== count || others > 0 || lastAt === null)
      return yield* Effect.die(new Error(`Of ${count} images ${cleared} were cleared`))
    return {
      perSecond: (count * 1000) / (lastAt.getTime() - begunAt),
      cpuMillis: (cpuSeconds * 1000) / count
    }
  })

  const count = IMAGES_PER_SECOND * seconds
  yield* round(IMAGES_PER_SECOND)
  const all = yield* Effect.forEach(Array.from({ length: rounds }), () => round(count))
  return {
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    rounds: all.map(({ perSecond }) => perSecond),
    images: count,
    cpuMillis: median(all.map(({ cpuMillis }) => cpuMillis))
  } satisfies ScreeningThroughput
}, Effect.scoped)

export const screeningTable = (it: ScreeningThroughput | undefined): string =>
  it === undefined
    ? "Screening was not measured: there is no /usr/sbin/clamd"
    : [
        `Screen ${it.images} JPEGs of 200 kB with clamd and a database of one signature`,
        `${it.perSecond.toFixed(1)} cleared/s (${it.rounds.map((rate) => rate.toFixed(1)).join(" ")}), ` +
          `${it.cpuMillis.toFixed(1)} ms CPU of the service's own process for each`
      ].join("\n")
