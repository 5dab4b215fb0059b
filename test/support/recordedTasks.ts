import { Effect, Layer } from "effect"
import { Offload, TaskTooExpensive } from "../../src/platform/ports/Offload.ts"
import type { Task } from "../../src/platform/ports/tasks.ts"

/** Records the keys of tasks. Runs each task or refuses it as too expensive. */
export const recordedTasks = (keys: Array<string>, isTooExpensive = false) =>
  Layer.succeed(
    Offload,
    Offload.of({
      run: <Input, Output>(task: Task<Input, Output>, input: Input, key: string) => {
        keys.push(key)
        return isTooExpensive
          ? Effect.fail(new TaskTooExpensive({ exceeded: "processor time" }))
          : Effect.promise(async () => task.run(input))
      }
    })
  )
