import { Effect, Layer, type Duration } from "effect"
import { Scanner, ScannerUnavailable } from "../../src/platform/ports/Scanner.ts"
import { definitionsOf, exchange, exchangeScan, verdictOf, versionRequest } from "./clamdProtocol.ts"
import type { ClamdAddress } from "./clamdUrl.ts"

export interface Options {
  readonly address: ClamdAddress
  /** Time to connect; 2 seconds by default. */
  readonly connectPatience?: Duration.Input | undefined
  /** Time for the definitions, with the connection; 5 seconds by default. */
  readonly definitionsPatience?: Duration.Input | undefined
  /** Time for a verdict, with the connection; a minute by default. The `MaxScanTime` of clamd should be shorter. */
  readonly scanPatience?: Duration.Input | undefined
}

/**
 * The ClamAV daemon, with a connection for each question. Its configuration decides the worth of a verdict:
 * `StreamMaxLength` must fit the largest upload, and `AlertExceedsMax`, `AlertEncrypted` and `AlertBrokenMedia` must be
 * on. Otherwise clamd calls files clean that it did not inspect.
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
