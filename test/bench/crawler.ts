import { Effect } from "effect"
import type { LoadOrder } from "./loadThread.ts"
import { load, loadThread } from "./loadThreads.ts"
import type { Operation } from "./operation.ts"
import { getPage } from "./pages.ts"
import { median, medianQuantile } from "./quantiles.ts"
import { READS_PER_SECOND, readBeside, type ReadsBeside } from "./readsBeside.ts"
import type { Seed } from "./seed.ts"
import type { Server } from "./servers.ts"

/** Pages that the limit of public reads allows to one address. */
const PAGES_PER_SECOND = 20
/** Time in which the code of pages is compiled: thousands of pages are made in it. */
const WARM_UP_SECONDS = 15
const WARM_UP_CLIENTS = 4
/** Highest p99 of the reads beside the crawler, as a multiple of the p99 without it. */
const P99_RATIO_MAX = 1.3

/** Milliseconds of JSON reads without a crawler and beside one, and of its pages: medians of the rounds. */
export interface Crawled extends ReadsBeside {
  readonly pages: number
  readonly pagesPerSecond: number
  readonly pageP50: number
}

/** Reads JSON at a steady rate, in turn alone and beside a crawler, which asks for no page twice. */
export const crawl = Effect.fnUntraced(function* (
  server: Server,
  operations: ReadonlyArray<Operation>,
  seed: Seed,
  length: { readonly rounds: number; readonly seconds: number }
) {
  const crawler = yield* loadThread
  const { url } = server
  const requests = seed.pages.map(getPage)
  let swept = 0

  const sweep = async (seconds: number, pace: LoadOrder["pace"], mostPages: number) => {
    const next = Array.from({ length: mostPages }, (_, turn) => requests[(swept + turn) % requests.length]!)
    const times = await load(crawler, { url, seconds, requests: next, pace })
    swept = (swept + times.length) % requests.length
    return times
  }
  const { others: pages, reads } = yield* readBeside(server, operations, length, {
    warmUp: (read) =>
      Promise.all([
        read(WARM_UP_SECONDS, 1),
        sweep(WARM_UP_SECONDS, { clients: WARM_UP_CLIENTS }, requests.length)
      ]),
    // No more requests than are sent: each has to be handed to the thread, which is to be idle in turn.
    other: (seconds, seed) =>
      sweep(seconds, { perSecond: PAGES_PER_SECOND, seed }, 2 * PAGES_PER_SECOND * seconds)
  })
  return {
    ...reads,
    pages: pages.flat().length,
    pagesPerSecond: median(pages.map((times) => times.length / length.seconds)),
    pageP50: medianQuantile(pages, 0.5)
  } satisfies Crawled
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
