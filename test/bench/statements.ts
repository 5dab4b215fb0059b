import { setTimeout as pause } from "node:timers/promises"
import { load } from "./load.ts"
import type { Operation } from "./operation.ts"
import type { Server, Servers } from "./servers.ts"

/** Statements of one operation, by server. */
export type Statements = ReadonlyMap<Server, ReadonlyMap<Operation, number>>

const IDLE_MILLIS = 10_000
/** Time for the background work of an operation. */
const SETTLE_MILLIS = 2_000

/** Returns the statements on the database of a server so far; NaN where the extension is missing. */
const soFar = async ({ database }: Server): Promise<number> => {
  const text = `select sum(calls)::float8 as calls from pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database())`
  const [row] = await database.rows<{ readonly calls: number }>(text).catch(() => [])
  return row?.calls ?? Number.NaN
}

/** Counts statements while something runs, less those of idle processes. */
export const statementsWhile = async (server: Server, run: () => Promise<unknown>, idlePerMilli = 0) => {
  const begin = performance.now()
  const before = await soFar(server)
  await run()
  const counted = (await soFar(server)) - before
  return Math.max(0, counted - idlePerMilli * (performance.now() - begin))
}

/**
 * Counts the statements of operations that are sent from one connection, with the work that follows them. Do this before any
 * other load, whose work would go on meanwhile.
 */
export const countStatements = async (
  operations: ReadonlyArray<Operation>,
  { cold, kept }: Omit<Servers, "fastify">
): Promise<Statements> => {
  const counts = new Map<Server, Map<Operation, number>>()
  for (const server of [...kept, ...cold]) {
    const own = new Map<Operation, number>()
    const idlePerMilli = (await statementsWhile(server, () => pause(IDLE_MILLIS))) / IDLE_MILLIS
    for (const operation of operations.filter(({ isKept }) => isKept === true || kept.includes(server))) {
      let done = 0
      const run = async () => {
        done = (await load(server, operation, { connections: 1, seconds: 2 })).operations
        await pause(SETTLE_MILLIS)
      }
      own.set(operation, (await statementsWhile(server, run, idlePerMilli)) / done)
    }
    counts.set(server, own)
  }
  return counts
}
