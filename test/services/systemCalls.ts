import { readFileSync } from "node:fs"

/** A system call of a program, with the place that it is for: a path, or `TCP:[…]`. */
export interface SystemCall {
  readonly name: string
  readonly place: string
  /** The call as strace writes it, without its place. */
  readonly text: string
}

/** Calls that write to files, pipes, terminals and sockets, and those that make writes durable. */
const CALLS = "write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync,unlink,unlinkat"

/** Returns the words that start a program whose system calls are written to a file. */
export const traced = (file: string): ReadonlyArray<string> => [
  "strace",
  "-f",
  "-yy",
  "-qq",
  "-s",
  "4000000",
  "-e",
  `trace=${CALLS}`,
  "-e",
  "signal=none",
  "-o",
  file
]

const LINE = /^\d+\s+(\w+)\((?:\d+<(TCPv?6?:\[[^\]]*\]|[^>]*)>|(?:AT_FDCWD<[^>]*>, )?"([^"]*)")(.*)$/

/** Reads what a traced program did, in its order. */
export const systemCallsOf = (file: string): ReadonlyArray<SystemCall> =>
  readFileSync(file, "latin1")
    .split("\n")
    .flatMap((line) => {
      const [, name, descriptor, path, text = ""] = LINE.exec(line) ?? []
      return name === undefined ? [] : [{ name, place: descriptor ?? path ?? "", text }]
    })
