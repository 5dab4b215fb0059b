import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { HOME, makeMachines, removeMachines } from "./machines.ts"
import { printTable } from "./table.ts"
import { startAll } from "./topology.ts"

const runs = join(HOME, "runs")
const isKept = process.env["CLUSTER_KEEP"] !== undefined

/** Starts the cluster for a run, and prints what the run measured. `CLUSTER_KEEP=1` leaves it to the next run. */
export default async function setup() {
  if (!(isKept && existsSync(runs))) {
    makeMachines()
    await Effect.runPromise(startAll)
    writeFileSync(runs, "")
  }
  return () => {
    printTable()
    if (!isKept) removeMachines()
  }
}
