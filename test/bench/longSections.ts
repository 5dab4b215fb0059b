import { Effect } from "effect"
import { load, loadThread, readsOf } from "./loadThreads.ts"
import type { Operation } from "./operation.ts"
import { median, medianQuantile } from "./quantiles.ts"
import type { Seed } from "./seed.ts"
import type { Server } from "./servers.ts"
import { longDraftsOf } from "./writes.ts"

const WRITERS = 32
const READS_PER_SECOND = 100
/** Longest wait for the event loop, in milliseconds. */
const DELAY_P99_MAX = 20

/** Writers of the longest sections, beside readers: milliseconds, medians of the rounds. */
export interface LongSections {
  readonly delayP99: number
  readonly delayP99s: ReadonlyArray<number>
  readonly writesPerSecond: number
  readonly writeP50: number
  readonly readP50: number
  readonly readP99: number
}

/** Measures waits for the event loop while 32 clients post 200,000 characters each, one after the other. */
export const longSections = Effect.fnUntraced(function* (
  server: Server,
  operations: ReadonlyArray<Operation>,
  seed: Seed,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
) {
  const reader = yield* loadThread
  const writer = yield* loadThread
  const { url } = server
  const drafts = longDraftsOf(seed, 50)
  const reads = readsOf(operations)
  const round = (number: number) =>
    Effect.promise(async () => {
      const finish = server.watchEventLoop()
      const [readTimes, writeTimes] = await Promise.all([
        load(reader, { url, seconds, requests: reads, pace: { perSecond: READS_PER_SECOND, seed: number } }),
        load(writer, { url, seconds, requests: drafts, pace: { clients: WRITERS } })
      ])
      return { readTimes, writeTimes, delayP99: await finish() }
    })
  yield* round(0)
  const all = yield* Effect.forEach(Array.from({ length: rounds }), (_, n) => round(n + 1))
  const reading = all.map(({ readTimes }) => readTimes)
  const writing = all.map(({ writeTimes }) => writeTimes)
  const delayP99s = all.map(({ delayP99 }) => delayP99)
  return {
    delayP99: median(delayP99s),
    delayP99s,
    writesPerSecond: median(writing.map(({ length }) => length / seconds)),
    writeP50: medianQuantile(writing, 0.5),
    readP50: medianQuantile(reading, 0.5),
    readP99: medianQuantile(reading, 0.99)
  } satisfies LongSections
}, Effect.scoped)

export const longSectionsTable = (it: LongSections): string =>
  [
    `Public reads beside ${WRITERS} writers of 200,000 characters each (target: event loop p99 below ${DELAY_P99_MAX} ms)`,
    `event loop delay: p99 ${it.delayP99.toFixed(1)} ms (${it.delayP99s.map((p99) => p99.toFixed(1)).join(" ")})`,
    `${it.writesPerSecond.toFixed(1)} Posts/s, p50 ${it.writeP50.toFixed(0)} ms; ` +
      `${READS_PER_SECOND} reads/s, p50 ${it.readP50.toFixed(1)} ms, p99 ${it.readP99.toFixed(1)} ms`
  ].join("\n")

/** Names the missed targets. */
export const longSectionsMissed = ({ delayP99 }: LongSections): ReadonlyArray<string> =>
  delayP99 >= DELAY_P99_MAX
    ? [`event loop p99 ${delayP99.toFixed(1)} ms beside long sections (target ${DELAY_P99_MAX})`]
    : []
