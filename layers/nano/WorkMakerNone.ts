import { Effect, Layer } from "effect"
import { WorkMaker, WorkUnavailable } from "../../src/platform/ports/WorkMaker.ts"

/** No server makes work: payers send it with their blocks. */
export const layer = Layer.succeed(
  WorkMaker,
  WorkMaker.of({
    kind: "none",
    make: () => Effect.fail(new WorkUnavailable({ reason: "off" }))
  })
)
