import { readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import { median, medianQuantile } from "./quantiles.ts"
import { peakMegabytes, start } from "./servers.ts"
import type { UploadedImage } from "./uploadsImages.ts"
import { forgetUploads, uploadRound } from "./uploadsRound.ts"
import { screeningBegun, type UploadTargets } from "./uploadsTargets.ts"

const CLIENTS = 32
const MEMORY_MAX_MEGABYTES = 400
const DELAY_P99_MAX = 20

/** 32 clients that upload the largest images: milliseconds, medians of the rounds. */
export interface LargeUploads {
  /** Highest memory of the serving process. */
  readonly peakMegabytes: number
  /** Highest memory of any decoding process. */
  readonly decoderPeakMegabytes: number
  readonly decoders: number
  readonly delayP99: number
  readonly delayP99s: ReadonlyArray<number>
  readonly uploadsPerSecond: number
  readonly p50: number
  readonly p99: number
}

const childrenOf = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number)
  )

/** Measures memory and event loop while 32 clients upload 5 MiB each, beside screening with its defaults. */
export const largeUploads = Effect.fnUntraced(function* (
  url: string,
  targets: UploadTargets,
  images: ReadonlyArray<UploadedImage>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
) {
  yield* screeningBegun()
  const service = yield* start("pennypress", url, {}, { SCANNER: "none" })
  const round = Effect.fnUntraced(function* () {
    const finish = service.watchEventLoop()
    const result = yield* uploadRound(service, targets, images, { clients: CLIENTS, seconds })
    const delayP99 = yield* Effect.promise(finish)
    const decoders = childrenOf(service.pid).map(peakMegabytes)
    yield* forgetUploads(service)
    return { ...result, delayP99, decoders }
  })
  yield* round()
  const all = yield* Effect.forEach(Array.from({ length: rounds }), round)
  const latencies = all.map(({ latencies }) => latencies)
  const delayP99s = all.map(({ delayP99 }) => delayP99)
  return {
    peakMegabytes: Math.max(...all.map(({ peakMegabytes }) => peakMegabytes)),
    decoderPeakMegabytes: Math.max(0, ...all.flatMap(({ decoders }) => decoders)),
    decoders: Math.max(...all.map(({ decoders }) => decoders.length)),
    delayP99: median(delayP99s),
    delayP99s,
    uploadsPerSecond: median(all.map(({ requests, seconds }) => requests / seconds)),
    p50: medianQuantile(latencies, 0.5),
    p99: medianQuantile(latencies, 0.99)
  } satisfies LargeUploads
}, Effect.scoped)

export const largeUploadsTable = (it: LargeUploads): string =>
  [
    `${CLIENTS} concurrent uploads of 5 MiB, JPEG and PNG in turn (target: less than ${MEMORY_MAX_MEGABYTES} MB, ` +
      `event loop p99 below ${DELAY_P99_MAX} ms)`,
    `memory: peak ${it.peakMegabytes.toFixed(0)} MB, and ${it.decoders} decoding processes with ` +
      `${it.decoderPeakMegabytes.toFixed(0)} MB each at most`,
    `event loop delay: p99 ${it.delayP99.toFixed(1)} ms (${it.delayP99s.map((p99) => p99.toFixed(1)).join(" ")})`,
    `${it.uploadsPerSecond.toFixed(1)} uploads/s, p50 ${it.p50.toFixed(0)} ms, p99 ${it.p99.toFixed(0)} ms`
  ].join("\n")

/** Names the missed targets. */
export const largeUploadsMissed = ({ delayP99, peakMegabytes }: LargeUploads): ReadonlyArray<string> => [
  ...(peakMegabytes >= MEMORY_MAX_MEGABYTES
    ? [`${peakMegabytes.toFixed(0)} MB beside large uploads (target ${MEMORY_MAX_MEGABYTES})`]
    : []),
  ...(delayP99 >= DELAY_P99_MAX
    ? [`event loop p99 ${delayP99.toFixed(1)} ms beside large uploads (target ${DELAY_P99_MAX})`]
    : [])
]
