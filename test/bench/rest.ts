import { setTimeout as pause } from "node:timers/promises"
import type { Server } from "./servers.ts"
import { statementsWhile } from "./statements.ts"

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

/** Measures an idle process for half a minute. */
export const rest = async (server: Server): Promise<Rest> => {
  await pause(SETTLE_MILLIS)
  const finish = server.measure()
  const statements = await statementsWhile(server, () => pause(REST_SECONDS * 1000))
  return {
    server: server.name,
    cpuMillis: finish().cpuSeconds * 1000,
    residentMegabytes: server.residentMegabytes(),
    statementsPerSecond: statements / REST_SECONDS
  }
}
