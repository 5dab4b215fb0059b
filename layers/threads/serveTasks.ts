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
  const replyTo = ({ input, name }: TaskRequest): TaskReply => {
    try {
      return { output: tasks[name]?.run(input as never) }
    } catch (thrown) {
      return { thrown }
    }
  }
  const send = (message: Outgoing) => parentPort?.postMessage(message, [])
  parentPort?.on("message", (message: Incoming) => {
    if (message[0] === 1) parentPort?.close()
    else send([1, replyTo(message[1])])
  })
  send([0])
}
