import { Context, type Effect } from "effect"

/** Checks that the process can do its work now. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** Returns the names of dependencies that are not ready, such as `database`. Bounded in time. */
    readonly check: Effect.Effect<ReadonlyArray<string>>
    /** The same for work that only reads. A read-only database is ready for it. */
    readonly checkReads: Effect.Effect<ReadonlyArray<string>>
    /** Returns true once the process stops: a request that only waits for a change then ends its wait. */
    readonly isStopping: Effect.Effect<boolean>
  }
>()("pennypress/platform/ports/Readiness") {}
