import { type ChildProcess, spawn } from "node:child_process"
import { writeFile } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect, Schema } from "effect"
import { jobOf, READY, type Said } from "./processJobs.ts"

/** The process ended or answered nonsense in the middle of a job, or was killed at its deadline. */
export class ProcessLost extends Schema.TaggedError<ProcessLost>()("ProcessLost", {
  reason: Schema.Literals(["crashed", "deadline"]),
  detail: Schema.String
}) {}

/** A process did not start, or the pool has ended. */
export class ProcessesUnavailable extends Schema.TaggedError<ProcessesUnavailable>()("ProcessesUnavailable", {
  cause: Schema.Defect()
}) {}

/** The way to start a process. */
export interface Program {
  /** The module that the process runs; it calls `serveJobs`. */
  readonly program: URL
  /** Options of Node for the process. */
  readonly nodeOptions: ReadonlyArray<string>
  /** Its whole environment; it inherits none. */
  readonly env: Readonly<Record<string, string>>
  /** Maximum characters of an answer. */
  readonly answerLengthMax: number
}

/** Maximum characters of its error output that are kept until it is ready. */
const COMPLAINT_LENGTH_MAX = 2048

/** A process of a pool, which does one job at a time until it ends. */
export interface PooledProcess {
  readonly ask: (
    question: unknown,
    bytes: Uint8Array
  ) => Effect.Effect<Said, ProcessLost | ProcessesUnavailable>
  /** Returns true once its program is loaded. */
  readonly wasReady: () => boolean
  readonly hasEnded: () => boolean
  /** Kills the process and waits until it is gone. */
  readonly end: Effect.Effect<void>
}

const isSaid = (said: unknown): said is Said =>
  typeof said === "object" &&
  said !== null &&
  "answer" in said &&
  "rss" in said &&
  typeof said.rss === "number"

const saidIn = (line: string): Said | undefined => {
  try {
    const said: unknown = JSON.parse(line)
    return isSaid(said) ? said : undefined
  } catch {
    return undefined
  }
}

// When memory is short, the kernel is to end this process rather than the service. Only Linux has this file.
const preferToLose = (pid: number) => writeFile(`/proc/${pid}/oom_score_adj`, "1000", () => {})

type Settle = (answered: Effect.Effect<Said, ProcessLost | ProcessesUnavailable>) => void

/** Reads the lines of a process and hands each answer to the caller. A malformed line ends the process. */
const listen = (child: ChildProcess, answerLengthMax: number) => {
  let settle: Settle | undefined
  let isReady = false
  let hasEnded = false
  let line = ""
  let complaint = ""
  const gone = Promise.withResolvers<void>()

  // The caller may ask again before this returns.
  const answered: Settle = (answer) => {
    const waiting = settle
    settle = undefined
    waiting?.(answer)
  }

  const lost = (detail: string) => {
    hasEnded = true
    const error = isReady
      ? new ProcessLost({ reason: "crashed", detail })
      : new ProcessesUnavailable({ cause: new Error(`${detail} before it was ready: ${complaint}`) })
    answered(Effect.fail(error))
  }

  const hear = (said: string) => {
    if (!isReady && said === READY) {
      isReady = true
      // The rest of its error output stays unread.
      child.stderr?.destroy()
      return
    }
    const answer = saidIn(said)
    if (settle === undefined || answer === undefined) {
      child.kill("SIGKILL")
      return lost("its message was not an answer")
    }
    answered(Effect.succeed(answer))
  }

  child.stdout?.setEncoding("latin1").on("data", (chunk: string) => {
    if (hasEnded) return
    const [rest = "", ...more] = chunk.split("\n")
    line += rest
    if (line.length > answerLengthMax) {
      child.kill("SIGKILL")
      return lost("it said too much")
    }
    for (const begun of more) {
      const said = line
      line = begun
      hear(said)
    }
  })
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    complaint = (complaint + chunk).slice(0, COMPLAINT_LENGTH_MAX)
  })
  // The `close` event reports the end of the process; a failed write adds nothing.
  child.stdin?.on("error", () => {})
  child.once("error", (cause) => {
    complaint ||= String(cause)
    // A process that did not start emits no other event.
    if (child.pid !== undefined) return
    lost("it did not start")
    gone.resolve()
  })
  // `close` comes after `exit`, so that the last answer is read.
  child.once("close", (code, signal) => {
    lost(`it ended with ${signal ?? code}`)
    gone.resolve()
  })

  return {
    gone: gone.promise,
    wasReady: () => isReady,
    hasEnded: () => hasEnded,
    expect: (to: Settle) => {
      settle = to
    }
  }
}

const processOf = (child: ChildProcess, answerLengthMax: number): PooledProcess => {
  const { expect, gone, hasEnded, wasReady } = listen(child, answerLengthMax)
  if (child.pid !== undefined) preferToLose(child.pid)
  const ask: PooledProcess["ask"] = (question, bytes) =>
    Effect.callback((resume) => {
      if (hasEnded())
        return resume(Effect.fail(new ProcessLost({ reason: "crashed", detail: "it ended idle" })))
      expect(resume)
      for (const piece of jobOf(question, bytes)) child.stdin?.write(piece)
    })
  const end = Effect.promise(() => {
    child.kill("SIGKILL")
    return gone
  })
  return { ask, wasReady, hasEnded, end }
}

/** Starts a process in the root directory. */
export const startProcess = ({ answerLengthMax, env, nodeOptions, program }: Program) =>
  Effect.try({
    try: () =>
      processOf(
        spawn(process.execPath, [...nodeOptions, fileURLToPath(program)], {
          cwd: "/",
          env,
          stdio: ["pipe", "pipe", "pipe"],
          windowsHide: true
        }),
        answerLengthMax
      ),
    catch: (cause) => new ProcessesUnavailable({ cause })
  })
