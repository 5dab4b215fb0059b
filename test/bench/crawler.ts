import { Effect } from "effect"
import type { LoadOrder } from "./loadThread.ts"
import { load, loadThread, readsOf } from "./loadThreads.ts"
import type { Operation } from "./operation.ts"
import { getPage } from "./pages.ts"
import { median, medianQuantile, quantile } from "./quantiles.ts"
import type { Seed } from "./seed.ts"
import type { Server } from "./servers.ts"

const READS_PER_SECOND = 300
/** Pages that the limit of public reads allows to one address. */
const PAGES_PER_SECOND = 20
/** Time in which the code of pages is compiled: hundreds of pages a second are made in it. */
const WARM_UP_SECONDS = 15
const WARM_UP_CLIENTS = 4
/** Highest p99 of the reads beside the crawler, as a multiple of the p99 without it. */
const P99_RATIO_MAX = 1.3

/** Milliseconds of JSON reads without a crawler and beside one: medians of the rounds. */
export interface Crawled {
  readonly idleP50: number
  readonly idleP99: number
  readonly busyP50: number
  readonly busyP99: number
  readonly idleP99s: ReadonlyArray<number>
  readonly busyP99s: ReadonlyArray<number>
  readonly ratio: number
  readonly pages: number
  readonly pagesPerSecond: number
  readonly pageP50: number
}

interface Rounds {
  readonly reads: Array<ReadonlyArray<number>>
  readonly pages: Array<ReadonlyArray<number>>
}

const noRounds = (): Rounds => ({ reads: [], pages: [] })

const summarise = (idle: Rounds, busy: Rounds, seconds: number): Crawled => {
  const p99 = (times: ReadonlyArray<number>) => quantile(times, 0.99)
  const idleP99s = idle.reads.map(p99)
  const busyP99s = busy.reads.map(p99)
  return {
    idleP50: medianQuantile(idle.reads, 0.5),
    idleP99: median(idleP99s),
    busyP50: medianQuantile(busy.reads, 0.5),
    busyP99: median(busyP99s),
    idleP99s,
    busyP99s,
    ratio: median(busyP99s) / median(idleP99s),
    pages: busy.pages.flat().length,
    pagesPerSecond: median(busy.pages.map(({ length }) => length / seconds)),
    pageP50: medianQuantile(busy.pages, 0.5)
  }
}

/** Reads JSON at a steady rate, in turn alone and beside a crawler, which asks for no page twice. */
export const crawl = Effect.fnUntraced(function* (
  server: Server,
  operations: ReadonlyArray<Operation>,
  seed: Seed,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
) {
  const reader = yield* loadThread
  const crawler = yield* loadThread
  const { url } = server
  const reads = { url, requests: readsOf(operations) }
  const requests = seed.pages.map(getPage)
  let swept = 0

  const sweep = async (seconds: number, pace: LoadOrder["pace"], mostPages: number) => {
    const next = Array.from({ length: mostPages }, (_, turn) => requests[(swept + turn) % requests.length]!)
    const times = await load(crawler, { url, seconds, requests: next, pace })
    swept = (swept + times.length) % requests.length
    return times
  }
  const warmUp = Effect.promise(() =>
    Promise.all([
      load(reader, { ...reads, seconds: WARM_UP_SECONDS, pace: { perSecond: READS_PER_SECOND, seed: 1 } }),
      sweep(WARM_UP_SECONDS, { clients: WARM_UP_CLIENTS }, requests.length)
    ])
  )
  const round = (into: Rounds, seed: number, isBusy: boolean) =>
    Effect.promise(async () => {
      // No more requests than are sent: each has to be handed to the thread, which is to be idle in turn.
      const mostPages = 2 * PAGES_PER_SECOND * seconds
      const [readTimes, pageTimes] = await Promise.all([
        load(reader, { ...reads, seconds, pace: { perSecond: READS_PER_SECOND, seed } }),
        isBusy ? sweep(seconds, { perSecond: PAGES_PER_SECOND, seed: -seed }, mostPages) : []
      ])
      into.reads.push(readTimes)
      into.pages.push(pageTimes)
    })
  yield* warmUp
  const idle = noRounds()
  const busy = noRounds()
  for (let n = 0; n < rounds; n++) {
    yield* round(idle, n + 2, false)
    yield* round(busy, n + 2, true)
  }
  return summarise(idle, busy, seconds)
}, Effect.scoped)

/** Prints the numbers as a table. */
export const crawlTable = (it: Crawled): string => {
  const ms = (milliseconds: number) => `${milliseconds.toFixed(1)} ms`
  const all = (each: ReadonlyArray<number>) => each.map((milliseconds) => milliseconds.toFixed(1)).join(" ")
  return [
    `JSON reads beside a crawler of all pages at the limit of one address (target: p99 at most ${P99_RATIO_MAX} times that without)`,
    `${READS_PER_SECOND} reads/s alone:              p50 ${ms(it.idleP50)}, p99 ${ms(it.idleP99)} (${all(it.idleP99s)})`,
    `${READS_PER_SECOND} reads/s beside the crawler: p50 ${ms(it.busyP50)}, p99 ${ms(it.busyP99)} (${all(it.busyP99s)})`,
    `${it.pages} pages, ${it.pagesPerSecond.toFixed(0)}/s, p50 ${ms(it.pageP50)}; ratio ${it.ratio.toFixed(2)}`
  ].join("\n")
}

/** Names the missed target; none when it is met. */
export const crawlMissed = ({ ratio }: Crawled): ReadonlyArray<string> =>
  ratio > P99_RATIO_MAX
    ? [`p99 of reads beside a crawler ${ratio.toFixed(2)} times (target ${P99_RATIO_MAX})`]
    : []
