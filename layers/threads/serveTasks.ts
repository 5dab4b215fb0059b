import { flushCompileCache } from "node:module"
import { parentPort } from "node:worker_threads"
import type { Task } from "../../src/platform/ports/tasks.ts"
import type { TaskReply, TaskRequest } from "./thread.ts"

/** A message of the framework's worker protocol: a request, or the end of the thread. */
type Incoming = readonly [request: 0, TaskRequest] | readonly [end: 1]

/** A message of the same protocol: the thread is ready, or a reply. */
type Outgoing = readonly [ready: 0] | readonly [reply: 1, TaskReply]

/**
 * Returns the buffers that a thread hands over instead of copying them: whole buffers of bytes that stand in the output
 * itself.
 */
const handedOver = (reply: TaskReply): ReadonlyArray<ArrayBuffer> => {
  if (!("output" in reply) || typeof reply.output !== "object" || reply.output === null) return []
  return Object.values(reply.output).flatMap((value) =>
    value instanceof Uint8Array &&
    value.buffer instanceof ArrayBuffer &&
    value.byteLength > 0 &&
    value.byteLength === value.buffer.byteLength
      ? [value.buffer]
      : []
  )
}

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
  const send = (message: Outgoing, transferred: ReadonlyArray<ArrayBuffer> = []) =>
    parentPort?.postMessage(message, transferred)
  parentPort?.on("message", async (message: Incoming) => {
    if (message[0] === 1) {
      parentPort?.close()
      return
    }
    const reply = await replyTo(message[1])
    send([1, reply], handedOver(reply))
  })
  send([0])
  // Node writes its cache of compiled modules when a process ends by itself, but a thread is ended from outside.
  flushCompileCache()
}
