import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Effect } from "effect"
import { WorkerRunnerPlatform } from "effect/workers/WorkerRunner"
import type { Task } from "../../src/platform/ports/Offload.ts"
import type { TaskReply, TaskRequest } from "./thread.ts"

/** Runs the program of a thread, which answers each request with the task that it names. */
export const serveTasks = (tasks: Readonly<Record<string, Task<never, unknown>>>) => {
  const replyTo = ({ input, name }: TaskRequest): TaskReply => {
    try {
      return { output: tasks[name]?.run(input as never) }
    } catch (thrown) {
      return { thrown }
    }
  }
  const serving = Effect.gen(function* () {
    const platform = yield* WorkerRunnerPlatform
    const runner = yield* platform.start<TaskReply, TaskRequest>()
    yield* runner.run((port, request) => Effect.suspend(() => runner.send(port, replyTo(request))))
  })
  Effect.runFork(Effect.provide(serving, NodeWorkerRunner.layer))
}
