import { Context } from "effect"

/** Upload operations that this process works on at the same time, at most. */
export const ScreeningConcurrency = Context.Reference<number>(
  "pennypress/platform/ports/ScreeningConcurrency",
  {
    defaultValue: () => 4
  }
)
