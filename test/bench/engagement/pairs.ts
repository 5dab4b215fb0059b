import { Effect } from "effect"
import { load, type Round } from "../load.ts"
import type { Operation } from "../operation.ts"
import { type OperationResult, summarise, tableOf } from "../report.ts"
import type { Server } from "../servers.ts"

/** Length of a measurement. */
export interface Length {
  readonly rounds: number
  readonly seconds: number
}

/** Two operations whose requests per second are compared: the first as a multiple of the second. */
export interface Pair {
  readonly name: string
  readonly operations: readonly [Operation, Operation]
  readonly least?: number
  readonly most?: number
}

export interface PairResult {
  readonly pair: Pair
  readonly results: readonly [OperationResult, OperationResult]
  readonly ratio: number
}

const WARM_UP_SECONDS = 2

const rateOf = ({ servers }: OperationResult) => servers[0]?.requestsPerSecond ?? Number.NaN

/** Runs rounds of operations in turn, A B A B …, so that other work of the machine falls on all alike. */
export const inTurn = Effect.fnUntraced(function* (
  server: Server,
  operations: ReadonlyArray<Operation>,
  { rounds, seconds }: Length
) {
  const measured = operations.map((operation) => ({ operation, rounds: new Array<Round>() }))
  const round = (operation: Operation, seconds: number) =>
    Effect.promise(() => load(server, operation, seconds))
  for (const { operation } of measured) yield* round(operation, WARM_UP_SECONDS)
  for (let n = 0; n < rounds; n++)
    for (const it of measured) it.rounds.push(yield* round(it.operation, seconds))
  return measured.map((it) => summarise(it.operation, new Map([[server.name, it.rounds]])))
})

/** Measures the two operations of a pair on one server. */
export const comparePair = Effect.fnUntraced(function* (server: Server, pair: Pair, length: Length) {
  const [one, other] = yield* inTurn(server, pair.operations, length)
  if (one === undefined || other === undefined) return yield* Effect.die(new Error("Two were measured"))
  return { pair, results: [one, other], ratio: rateOf(one) / rateOf(other) } satisfies PairResult
})

const boundOf = ({ least, most }: Pair) => {
  if (least !== undefined) return `at least ${least}`
  return most === undefined ? "none" : `at most ${most}`
}

export const pairTable = ({ pair, ratio, results }: PairResult): string =>
  [...results.map(tableOf), `ratio ${ratio.toFixed(2)} (target: ${boundOf(pair)})`].join("\n")

/** Names the missed target; none when it is met. */
export const pairMissed = ({ pair, ratio }: PairResult): ReadonlyArray<string> => {
  const { least = 0, most = Infinity, name } = pair
  return ratio < least || ratio > most ? [`${name} ${ratio.toFixed(2)} (${boundOf(pair)})`] : []
}
