import { execFileSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { platform } from "node:os"
import { join } from "node:path"
import { Option } from "effect"

/** The entries that a postmaster writes into its data directory. */
export interface PidFile {
  readonly pid: number
  readonly port: number
  readonly ready: boolean
}

/**
 * Reads `postmaster.pid` of a data directory. Its lines are: process id, directory, start time, port, socket directory,
 * listen address, shared memory key, status. The later lines appear as the start proceeds. Returns none while the file
 * is missing or half written.
 */
export const readPidFile = (data: string): Option.Option<PidFile> => {
  let lines: ReadonlyArray<string>
  try {
    lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")
  } catch {
    return Option.none()
  }
  const pid = Number(lines[0])
  const port = Number(lines[3])
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port) || port <= 0) return Option.none()
  return Option.some({ pid, port, ready: lines[7]?.trim() === "ready" })
}

/** Returns the state (`Z` is a zombie) and arguments of a process, as `ps` or `/proc` report them. */
const inspect = (pid: number): { readonly state: string; readonly command: string } => {
  if (platform() === "linux") {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return {
      // The program's name, in parentheses, may contain any character.
      state: stat.charAt(stat.lastIndexOf(")") + 2),
      command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
    }
  }
  const [state = "", ...command] = execFileSync("ps", ["-ww", "-o", "state=,command=", "-p", String(pid)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })
    .trim()
    .split(/\s/)
  return { state: state.charAt(0), command: `${command.join(" ")} ` }
}

/**
 * Returns true when the process is the living postmaster of this data directory. A different process under a reused id
 * gives false.
 */
export const isPostmaster = (pid: number, data: string) => {
  try {
    const { command, state } = inspect(pid)
    return state !== "Z" && state !== "X" && command.includes(` -D ${data} `)
  } catch {
    return false
  }
}

/**
 * Removes a stale pid file whose process id another process has by now. PostgreSQL would take that process for a
 * postmaster. It removes any other stale file by itself.
 */
export const forgetRecycledPid = (data: string) => {
  const file = Option.getOrUndefined(readPidFile(data))
  if (file === undefined || isPostmaster(file.pid, data)) return
  try {
    process.kill(file.pid, 0)
  } catch {
    return
  }
  rmSync(join(data, "postmaster.pid"), { force: true })
}

/** Returns the living server of a data directory, ready or starting. Returns none for a stale or missing pid file. */
export const runningServer = (data: string) =>
  Option.filter(readPidFile(data), ({ pid }) => isPostmaster(pid, data))
