import { Context, Duration } from "effect"

/** Definitions of a scanner that are older are stale: nothing is decided by them. Infinite where age does not matter. */
export const DefinitionsMaxAge = Context.Reference<Duration.Duration>(
  "pennypress/platform/ports/DefinitionsMaxAge",
  {
    defaultValue: () => Duration.days(7)
  }
)
