import { Effect } from "effect"
import { load, loadThread, readsOf } from "./loadThreads.ts"
import type { Operation } from "./operation.ts"
import { median, medianQuantile, quantile } from "./quantiles.ts"
import type { Server } from "./servers.ts"

const READS_PER_SECOND = 300
const SIGN_INS_PER_SECOND = 200
const WARM_UP_SECONDS = 4
/** Highest p99 of the reads beside sign-ins, as a multiple of the p99 without them. */
const P99_RATIO_MAX = 2

/** Milliseconds of public reads of one process, without sign-ins and beside them: medians of the rounds. */
export interface Disturbance {
  readonly idleP50: number
  readonly idleP99: number
  readonly busyP50: number
  readonly busyP99: number
  readonly idleP99s: ReadonlyArray<number>
  readonly busyP99s: ReadonlyArray<number>
  readonly ratio: number
  readonly signInsPerSecond: number
  readonly signInP50: number
  readonly signInP99: number
}

interface Rounds {
  readonly reads: Array<ReadonlyArray<number>>
  readonly signIns: Array<ReadonlyArray<number>>
}

const summarise = (idle: Rounds, busy: Rounds, seconds: number): Disturbance => {
  const p99 = (round: ReadonlyArray<number>) => quantile(round, 0.99)
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
    signInsPerSecond: median(busy.signIns.map(({ length }) => length / seconds)),
    signInP50: medianQuantile(busy.signIns, 0.5),
    signInP99: medianQuantile(busy.signIns, 0.99)
  }
}

/**
 * Reads from one process at a steady rate, in turn without sign-ins and with many, so that other work of the machine
 * falls on both alike.
 */
export const disturb = Effect.fnUntraced(function* (
  server: Server,
  operations: ReadonlyArray<Operation>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
) {
  const reader = yield* loadThread
  const walletOwner = yield* loadThread
  const requests = readsOf(operations)
  const { url } = server
  const round = (into: Rounds, seconds: number, seed: number, isBusy: boolean) =>
    Effect.promise(async () => {
      const [reads, signIns] = await Promise.all([
        load(reader, { url, seconds, requests, pace: { perSecond: READS_PER_SECOND, seed } }),
        isBusy
          ? load(walletOwner, { url, seconds, pace: { perSecond: SIGN_INS_PER_SECOND, seed: -seed } })
          : []
      ])
      into.reads.push(reads)
      into.signIns.push(signIns)
    })
  const none = (): Rounds => ({ reads: [], signIns: [] })
  yield* round(none(), WARM_UP_SECONDS, 1, true)
  yield* round(none(), WARM_UP_SECONDS, 2, false)
  const idle = none()
  const busy = none()
  for (let n = 0; n < rounds; n++) {
    yield* round(idle, seconds, 10 + n, false)
    yield* round(busy, seconds, 10 + n, true)
  }
  return summarise(idle, busy, seconds)
}, Effect.scoped)

/** Prints the numbers as a table. */
export const disturbanceTable = (it: Disturbance): string => {
  const ms = (milliseconds: number) => `${milliseconds.toFixed(1)} ms`
  const all = (each: ReadonlyArray<number>) => each.map((milliseconds) => milliseconds.toFixed(1)).join(" ")
  return [
    `Public reads beside sign-ins (target: p99 at most ${P99_RATIO_MAX} times that without)`,
    `${READS_PER_SECOND} reads/s alone:                p50 ${ms(it.idleP50)}, p99 ${ms(it.idleP99)} (${all(it.idleP99s)})`,
    `${READS_PER_SECOND} reads/s beside ${it.signInsPerSecond.toFixed(0)} sign-ins/s: p50 ${ms(it.busyP50)}, p99 ${ms(it.busyP99)} (${all(it.busyP99s)})`,
    `these sign-ins:                  p50 ${ms(it.signInP50)}, p99 ${ms(it.signInP99)}; ratio ${it.ratio.toFixed(2)}`
  ].join("\n")
}

/** Names the missed target; none when it is met. */
export const disturbanceMissed = ({ ratio }: Disturbance): ReadonlyArray<string> =>
  ratio > P99_RATIO_MAX
    ? [`p99 of reads beside sign-ins ${ratio.toFixed(2)} times (target ${P99_RATIO_MAX})`]
    : []
