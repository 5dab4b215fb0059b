import { setTimeout as pause } from "node:timers/promises"
import { statementsSoFar } from "./compare.ts"
import type { Server } from "./servers.ts"

/** Time after the start until a process is at rest. */
const SETTLE_MILLIS = 10_000
const REST_SECONDS = 30

/** An idle process. */
export interface Rest {
  readonly server: string
  readonly cpuMillis: number
  readonly residentMegabytes: number
  readonly statementsPerSecond: number
}

/** Measures idle processes for half a minute, all at the same time. */
export const rest = async (servers: ReadonlyArray<Server>): Promise<ReadonlyArray<Rest>> => {
  await pause(SETTLE_MILLIS)
  const begun = await Promise.all(
    servers.map(async (server) => ({
      server,
      finish: server.measure(),
      before: await statementsSoFar(server)
    }))
  )
  await pause(REST_SECONDS * 1000)
  return Promise.all(
    begun.map(async ({ before, finish, server }) => ({
      server: server.name,
      cpuMillis: finish().cpuSeconds * 1000,
      residentMegabytes: server.residentMegabytes(),
      statementsPerSecond: ((await statementsSoFar(server)) - before) / REST_SECONDS
    }))
  )
}
