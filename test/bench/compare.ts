import { load, type Round } from "./load.ts"
import type { Operation } from "./operation.ts"
import type { Server, Servers } from "./servers.ts"
import type { Statements } from "./statements.ts"

/** The numbers of one server and one operation. */
export interface Numbers {
  readonly server: string
  /** Median of the rounds. */
  readonly perSecond: number
  readonly cpuMicros: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly peakMegabytes: number
  /** Statements that PostgreSQL ran for one operation; NaN when they were not counted. */
  readonly statements: number
  /** Requests per second as a multiple of those of Fastify, and of the other checkout; NaN without them. */
  readonly ofFastify: number
  readonly ofAgainst: number
}

/** The numbers of an operation, without the store of answers for `isCold`. */
export interface Result {
  readonly operation: Operation
  readonly isCold: boolean
  /** The service first. */
  readonly numbers: ReadonlyArray<Numbers>
}

const WARM_UP_SECONDS = 2

const quantile = (numbers: ReadonlyArray<number>, q: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

const median = (numbers: ReadonlyArray<number>) => quantile(numbers, 0.5)

const rateOf = ({ operations, seconds }: Round) => operations / seconds

/** Runs rounds of an operation in turn, A B C A B C …, so that other work of the machine falls on all servers alike. */
export const compare = async (
  { cold, fastify, kept }: Servers,
  operation: Operation,
  statements: Statements,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
): Promise<ReadonlyArray<Result>> => {
  const references = operation.isCompared === true ? [fastify] : []
  const groups = operation.isKept === true ? [kept, cold] : [kept]
  const servers = [...groups.flat(), ...references]
  const measured = new Map<Server, Array<Round>>(servers.map((server) => [server, []]))
  for (const server of servers) await load(server, operation, { seconds: WARM_UP_SECONDS })
  for (let n = 0; n < rounds; n++)
    for (const server of servers) measured.get(server)?.push(await load(server, operation, { seconds }))

  /** Returns the median multiple of rounds that ran one after the other. */
  const multipleOf = (own: ReadonlyArray<Round>, other: Server) =>
    median((measured.get(other) ?? []).map((round, n) => rateOf(own[n]!) / rateOf(round)))

  const numbersOf = (server: Server, other?: Server): Numbers => {
    const own = measured.get(server) ?? []
    const latencies = own.flatMap((round) => round.latencies)
    return {
      server: server.name,
      perSecond: median(own.map(rateOf)),
      cpuMicros: median(own.map(({ cpuSeconds, operations }) => (cpuSeconds * 1e6) / operations)),
      p50Millis: quantile(latencies, 0.5),
      p99Millis: quantile(latencies, 0.99),
      peakMegabytes: Math.max(...own.map((round) => round.peakMegabytes)),
      statements: statements.get(server)?.get(operation) ?? Number.NaN,
      ofFastify: server === fastify ? Number.NaN : multipleOf(own, fastify),
      ofAgainst: other === undefined ? Number.NaN : multipleOf(own, other)
    }
  }
  return groups.map((group) => {
    const numbers = [...group, ...references].map((it, n) => numbersOf(it, n === 0 ? group[1] : undefined))
    return { operation, isCold: group === cold, numbers }
  })
}
