import { Context, type Effect, Schema } from "effect"
import type { Task } from "./tasks.ts"

/** A task took more time than its deadline or more memory than its thread may use; its thread is replaced. */
export class TaskTooExpensive extends Schema.TaggedError<TaskTooExpensive>()("TaskTooExpensive", {
  exceeded: Schema.Literals(["processor time", "memory"])
}) {}

/**
 * Runs tasks outside the thread of the requests, so that a long task delays no other request. Each pool takes turns
 * between keys: the tasks of one key wait for each other before those of another key do.
 */
export class Offload extends Context.Service<
  Offload,
  {
    /**
     * Runs a task in its turn. `key` names the owner of the work. Dies with
     * `DependencyUnavailable` when too many tasks of the key or of the pool are unfinished, and with the error that the
     * task throws. An interrupted caller stops waiting; a task that runs already continues to its end.
     */
    readonly run: <Input, Output>(
      task: Task<Input, Output>,
      input: Input,
      key: string
    ) => Effect.Effect<Output, TaskTooExpensive>
  }
>()("pennypress/platform/ports/Offload") {}
