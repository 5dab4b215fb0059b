import { Context, Effect, Layer } from "effect"
import { Browser } from "../../src/mcp/local/ports/Browser.ts"

/** The addresses that a test's browser was asked to open. */
export class BrowserMemory extends Context.Service<
  BrowserMemory,
  { readonly opened: ReadonlyArray<string> }
>()("pennypress/layers/testing/BrowserMemory") {}

/** A browser that shows nothing and records the addresses that it was asked to open. */
export const layer = Layer.effectContext(
  Effect.sync(() => {
    const opened: Array<string> = []
    const browser = Browser.of({
      open: ({ href }) =>
        Effect.sync(() => {
          opened.push(href)
          return true
        })
    })
    return Context.add(Context.make(Browser, browser), BrowserMemory, { opened })
  })
)
