import { once } from "node:events"
import type { Server } from "node:http"
import { Effect } from "effect"

/** The free port of this machine that a server listens on until the scope ends, with whatever is connected then. */
export const listening = Effect.fnUntraced(function* (server: Server) {
  server.listen(0, "127.0.0.1")
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
  yield* Effect.promise(() => once(server, "listening"))
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
})
