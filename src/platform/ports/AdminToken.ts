import { Context, type Redacted } from "effect"

/** What an administrator shows; without one there is no administration from outside. */
export const AdminToken = Context.Reference<Redacted.Redacted | undefined>(
  "pennypress/platform/ports/AdminToken",
  {
    defaultValue: () => undefined
  }
)
