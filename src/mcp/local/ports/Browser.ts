import { Context, type Effect } from "effect"

/** The browser of the person at this machine. */
export class Browser extends Context.Service<
  Browser,
  {
    /** Opens an address, and returns true when a browser was started. */
    readonly open: (url: URL) => Effect.Effect<boolean>
  }
>()("pennypress/mcp/local/ports/Browser") {}
