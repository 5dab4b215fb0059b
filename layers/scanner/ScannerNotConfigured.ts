import { Effect, Layer } from "effect"
import { Scanner, ScannerUnavailable } from "../../src/platform/ports/Scanner.ts"

const missing = Effect.suspend(() => Effect.fail(new ScannerUnavailable({ reason: "not_configured" })))

/** A scanner that was not configured: every scan waits. */
export const layer = Layer.succeed(
  Scanner,
  Scanner.of({ kind: "scanner", definitions: missing, scan: () => missing })
)
