import { Context, type Effect } from "effect"

/** Whether the process can do its work now. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** The names of what is not ready, such as `database`; empty when all is. Bounded in time. */
    readonly check: Effect.Effect<ReadonlyArray<string>>
  }
>()("pennypress/platform/ports/Readiness") {}
