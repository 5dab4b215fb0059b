import { Effect, Layer, type Duration } from "effect"
import { Scanner, ScannerUnavailable } from "../../src/platform/ports/Scanner.ts"
import { definitionsOf, exchange, exchangeScan, verdictOf, versionRequest } from "./clamdProtocol.ts"
import type { ClamdAddress } from "./clamdUrl.ts"

export interface Options {
  readonly address: ClamdAddress
  /** For the connection; 2 seconds unless told. */
  readonly connectPatience?: Duration.Input | undefined
  /** For what it says of itself, connection and all; 5 seconds unless told. */
  readonly definitionsPatience?: Duration.Input | undefined
  /** For a verdict, connection and all; a minute unless told. Its own `MaxScanTime` should be shorter. */
  readonly scanPatience?: Duration.Input | undefined
}

/**
 * ClamAV's daemon, one connection for each question. Its configuration decides what a verdict is worth:
 * `StreamMaxLength` as large as an upload may be, and `AlertExceedsMax`, `AlertEncrypted` and `AlertBrokenMedia` on, as
 * it otherwise calls clean what it did not look into.
 */
export const layer = (options: Options) => {
  const { address, connectPatience = "2 seconds" } = options
  const within = (duration: Duration.Input) =>
    Effect.timeoutOrElse({
      duration,
      orElse: () => Effect.fail(new ScannerUnavailable({ reason: "timeout" }))
    })
  return Layer.succeed(
    Scanner,
    Scanner.of({
      kind: "scanner",
      definitions: exchange(address, versionRequest, connectPatience).pipe(
        Effect.flatMap(definitionsOf),
        within(options.definitionsPatience ?? "5 seconds"),
        Effect.withSpan("ScannerClamd.definitions")
      ),
      scan: Effect.fn("ScannerClamd.scan")(
        function* (bytes) {
          return yield* verdictOf(yield* exchangeScan(address, bytes, connectPatience))
        },
        within(options.scanPatience ?? "1 minute")
      )
    })
  )
}
