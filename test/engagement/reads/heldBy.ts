import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const MEGABYTE = 2 ** 20

/** Returns the megabytes that stay in memory after a task, apart from what it returns. */
export const heldBy = <A>(task: () => A) => {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  const result = task()
  const held = (used() - before) / MEGABYTE
  return { held, result }
}

/** Returns a header of 15,000 characters that begins with this text, as the server reads it from the wire. */
export const longHeader = (start: string) => Buffer.from(start.padEnd(15_000, "x")).toString("latin1")

/** The numbers of many different headers. */
export const numbers = Array.from({ length: 2_000 }, (_, n) => n)
