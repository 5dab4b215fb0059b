import { flushCompileCache } from "node:module"
import { parentPort } from "node:worker_threads"
import type { Task } from "../../src/platform/ports/tasks.ts"
import type { TaskReply, TaskRequest } from "./thread.ts"

/** A message of the framework's worker protocol: a request, or the end of the thread. */
type Incoming = readonly [request: 0, TaskRequest] | readonly [end: 1]

/** A message of the same protocol: the thread is ready, or a reply. */
type Outgoing = readonly [ready: 0] | readonly [reply: 1, TaskReply]

/**
 * Runs the program of a thread, which answers each request with the task that it names. It speaks the protocol of the
 * framework's workers without the framework, which would cost each thread 25 MB.
 */
export const serveTasks = (tasks: Readonly<Record<string, Task<never, unknown>>>): void => {
  const replyTo = async ({ input, name }: TaskRequest): Promise<TaskReply> => {
    try {
      return { output: await tasks[name]?.run(input as never) }
    } catch (thrown) {
      return { thrown }
    }
  }
  const send = (message: Outgoing) => parentPort?.postMessage(message, [])
  parentPort?.on("message", async (message: Incoming) => {
    if (message[0] === 1) {
      parentPort?.close()
      return
    }
    send([1, await replyTo(message[1])])
  })
  send([0])
  // Node writes its cache of compiled modules when a process ends by itself, but a thread is ended from outside.
  flushCompileCache()
}
