import { Effect } from "effect"
import { load, loadThread } from "./loadThreads.ts"
import type { Operation } from "./operation.ts"
import { median, medianQuantile } from "./quantiles.ts"
import { READS_PER_SECOND, readBeside, type ReadsBeside } from "./readsBeside.ts"
import type { Server } from "./servers.ts"

const SIGN_INS_PER_SECOND = 200
const WARM_UP_SECONDS = 4
/** Highest p99 of the reads beside sign-ins, as a multiple of the p99 without them. */
const P99_RATIO_MAX = 2

/** Milliseconds of public reads without sign-ins and beside them, and of the sign-ins: medians of the rounds. */
export interface Disturbance extends ReadsBeside {
  readonly signInsPerSecond: number
  readonly signInP50: number
  readonly signInP99: number
}

/** Reads from one process at a steady rate, in turn without sign-ins and with many. */
export const disturb = Effect.fnUntraced(function* (
  server: Server,
  operations: ReadonlyArray<Operation>,
  length: { readonly rounds: number; readonly seconds: number }
) {
  const walletOwner = yield* loadThread
  const { url } = server
  const signIn = (seconds: number, seed: number) =>
    load(walletOwner, { url, seconds, pace: { perSecond: SIGN_INS_PER_SECOND, seed } })
  const { others: signIns, reads } = yield* readBeside(server, operations, length, {
    warmUp: async (read) => {
      await Promise.all([read(WARM_UP_SECONDS, 1), signIn(WARM_UP_SECONDS, -1)])
      await read(WARM_UP_SECONDS, 2)
    },
    other: signIn
  })
  return {
    ...reads,
    signInsPerSecond: median(signIns.map((times) => times.length / length.seconds)),
    signInP50: medianQuantile(signIns, 0.5),
    signInP99: medianQuantile(signIns, 0.99)
  } satisfies Disturbance
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
