import { Effect, Layer, Stream } from "effect"
import { LedgerUnavailable, NanoLedger } from "../../src/platform/ports/NanoLedger.ts"

const off = Effect.suspend(() => Effect.fail(new LedgerUnavailable({ reason: "off" })))

/** No ledger: the service takes no payments. Everything else works as always. */
export const layer = (network: string, workThreshold: bigint) =>
  Layer.succeed(
    NanoLedger,
    NanoLedger.of({
      kind: "off",
      network,
      workThreshold,
      isAway: Effect.succeed(false),
      account: () => off,
      block: () => off,
      publish: () => off,
      incoming: () => off,
      confirmations: () => Stream.never
    })
  )
