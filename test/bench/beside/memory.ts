import { globSync, readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"

const EVERY_MILLIS = 250

const residentOf = (pid: number | string) => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const childrenOf = (pid: number) =>
  globSync(`/proc/${pid}/task/*/children`).flatMap((file) => {
    try {
      return readFileSync(file, "utf8").trim().split(" ").filter(Boolean)
    } catch {
      return []
    }
  })

const isReader = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("readerProcess")
  } catch {
    return false
  }
}

/** The resident megabytes of a process in a time, and of the readers that it started. */
export interface Memory {
  /** The most in each quarter of the time: flat memory does not grow from one to the next. */
  readonly quarters: ReadonlyArray<number>
  readonly reader: number
}

/** Watches the memory of a server. The end returns what it saw. */
export const watchMemory = (pid: number) => {
  const seen: Array<number> = []
  const state = { isOver: false, reader: 0 }
  const watching = async () => {
    while (!state.isOver) {
      seen.push(residentOf(pid))
      state.reader = Math.max(state.reader, ...childrenOf(pid).filter(isReader).map(residentOf))
      await pause(EVERY_MILLIS)
    }
  }
  const watched = watching()
  return async (): Promise<Memory> => {
    state.isOver = true
    await watched
    const quarter = Math.ceil(seen.length / 4)
    const most = (n: number) => Math.round(Math.max(0, ...seen.slice(n * quarter, (n + 1) * quarter)))
    return { quarters: [0, 1, 2, 3].map(most), reader: Math.round(state.reader) }
  }
}
