import { setTimeout as pause } from "node:timers/promises"
import { load, type Round } from "./load.ts"
import type { Operation } from "./operation.ts"
import type { Server } from "./servers.ts"

/** The compared processes: of this checkout, and of the one of `--against`. */
export interface Servers {
  readonly kept: ReadonlyArray<Server>
  /** They run without the store of answers. */
  readonly cold: ReadonlyArray<Server>
  readonly fastify: Server
}

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
/** Time that background work of an operation gets, and by which the statements of an idle service are known. */
const SETTLE_MILLIS = 2_000

const quantile = (numbers: ReadonlyArray<number>, q: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

const median = (numbers: ReadonlyArray<number>) => quantile(numbers, 0.5)

/** Returns the statements on the database of a server so far; NaN where the extension is missing. */
export const statementsSoFar = async ({ database }: Server): Promise<number> => {
  const [row] = await database
    .rows<{ readonly calls: number }>(
      `select sum(calls)::float8 as calls from pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database())`
    )
    .catch(() => [])
  return row?.calls ?? Number.NaN
}

/** Counts the statements of one operation, sent from one connection, with the work that follows it. */
const statementsOf = async (server: Server, operation: Operation): Promise<number> => {
  const begin = performance.now()
  const atFirst = await statementsSoFar(server)
  await pause(SETTLE_MILLIS)
  const idle = performance.now()
  const before = await statementsSoFar(server)
  const { operations } = await load(server, operation, { connections: 1, seconds: 2 })
  await pause(SETTLE_MILLIS)
  const after = await statementsSoFar(server)
  const idlePerMilli = (before - atFirst) / (idle - begin)
  return Math.max(0, after - before - idlePerMilli * (performance.now() - idle)) / operations
}

const rateOf = ({ operations, seconds }: Round) => operations / seconds

/** Runs rounds of an operation in turn, A B C A B C …, so that other work of the machine falls on all servers alike. */
export const compare = async (
  { cold, fastify, kept }: Servers,
  operation: Operation,
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

  const numbersOf = async (server: Server, other?: Server): Promise<Numbers> => {
    const own = measured.get(server) ?? []
    const latencies = own.flatMap((round) => round.latencies)
    return {
      server: server.name,
      perSecond: median(own.map(rateOf)),
      cpuMicros: median(own.map(({ cpuSeconds, operations }) => (cpuSeconds * 1e6) / operations)),
      p50Millis: quantile(latencies, 0.5),
      p99Millis: quantile(latencies, 0.99),
      peakMegabytes: Math.max(...own.map((round) => round.peakMegabytes)),
      statements: server === fastify ? Number.NaN : await statementsOf(server, operation),
      ofFastify: server === fastify ? Number.NaN : multipleOf(own, fastify),
      ofAgainst: other === undefined ? Number.NaN : multipleOf(own, other)
    }
  }
  const results: Array<Result> = []
  for (const group of groups) {
    const numbers: Array<Numbers> = []
    for (const [n, server] of [...group, ...references].entries())
      numbers.push(await numbersOf(server, n === 0 ? group[1] : undefined))
    results.push({ operation, isCold: group === cold, numbers })
  }
  return results
}
