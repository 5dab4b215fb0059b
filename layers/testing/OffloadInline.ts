import { Effect, Layer } from "effect"
import { Offload } from "../../src/platform/ports/Offload.ts"

/** Runs every task at once on the thread of its caller. */
export const layer = Layer.succeed(
  Offload,
  Offload.of({ run: (task, input) => Effect.promise(async () => task.run(input)) })
)
