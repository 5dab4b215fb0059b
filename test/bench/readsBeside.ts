import { Effect } from "effect"
import { load, loadThread, readsOf } from "./loadThreads.ts"
import type { Operation } from "./operation.ts"
import { median, medianQuantile, quantile } from "./quantiles.ts"
import type { Server } from "./servers.ts"

export const READS_PER_SECOND = 300

/** Milliseconds of each operation of a round. */
type Times = ReadonlyArray<number>

/** Milliseconds of JSON reads of one process, without another load and beside it: medians of the rounds. */
export interface ReadsBeside {
  readonly idleP50: number
  readonly idleP99: number
  readonly busyP50: number
  readonly busyP99: number
  readonly idleP99s: Times
  readonly busyP99s: Times
  readonly ratio: number
}

/** Reads at the steady rate. */
type Read = (seconds: number, seed: number) => Promise<Times>

const summarise = (idle: ReadonlyArray<Times>, busy: ReadonlyArray<Times>): ReadsBeside => {
  const p99 = (times: Times) => quantile(times, 0.99)
  const idleP99s = idle.map(p99)
  const busyP99s = busy.map(p99)
  return {
    idleP50: medianQuantile(idle, 0.5),
    idleP99: median(idleP99s),
    busyP50: medianQuantile(busy, 0.5),
    busyP99: median(busyP99s),
    idleP99s,
    busyP99s,
    ratio: median(busyP99s) / median(idleP99s)
  }
}

/**
 * Reads from one process at a steady rate, in turn without another load and beside it, so that other work of the machine
 * falls on both alike. Returns the times of the reads, and those of the other load by round.
 */
export const readBeside = Effect.fnUntraced(function* (
  { url }: Server,
  operations: ReadonlyArray<Operation>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
  { other, warmUp }: { readonly other: Read; readonly warmUp: (read: Read) => Promise<unknown> }
) {
  const reader = yield* loadThread
  const requests = readsOf(operations)
  const read: Read = (seconds, seed) =>
    load(reader, { url, seconds, requests, pace: { perSecond: READS_PER_SECOND, seed } })
  return yield* Effect.promise(async () => {
    const idle: Array<Times> = []
    const busy: Array<Times> = []
    const others: Array<Times> = []
    await warmUp(read)
    for (let seed = 10; seed < 10 + rounds; seed++) {
      idle.push(await read(seconds, seed))
      const [readTimes, otherTimes] = await Promise.all([read(seconds, seed), other(seconds, -seed)])
      busy.push(readTimes)
      others.push(otherTimes)
    }
    return { reads: summarise(idle, busy), others }
  })
})
