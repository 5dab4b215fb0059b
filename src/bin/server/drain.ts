import { type Server as NetServer, Server } from "node:net"
import { Effect } from "effect"

/** Time between two looks at the connections that remain. */
const LOOK_MILLIS = 50

/**
 * Number of looks for which an idle connection may stay. Its client's next request is answered with `Connection:
 * close`.
 */
const IDLE_LOOKS = 40

const connectionsOf = (server: NetServer) =>
  Effect.callback<number>((resume) => {
    server.getConnections((_, count) => resume(Effect.succeed(count)))
  })

/** Stops accepting connections, and leaves open ones alone, even idle ones, which Node's HTTP server would close. */
export const stopAccepting = (server: NetServer): void => {
  Server.prototype.close.call(server)
}

/**
 * Waits until the connections of a server that accepts no more have ended, at most for this time. Closes connections on
 * which nothing was asked for two seconds.
 */
export const connectionsEnded = (
  server: NetServer & { readonly closeIdleConnections: () => void },
  withinMillis: number
) =>
  Effect.gen(function* () {
    for (let looks = 0; (yield* connectionsOf(server)) > 0; looks++) {
      if (looks >= IDLE_LOOKS) server.closeIdleConnections()
      yield* Effect.sleep(LOOK_MILLIS)
    }
  }).pipe(Effect.timeoutOption(withinMillis), Effect.asVoid)
