import { once } from "node:events"
import type { Server, Socket } from "node:net"
import { Effect } from "effect"

/** Makes a server listen on a free port until the scope ends, which also ends its connections. Returns the port. */
export const listening = Effect.fnUntraced(function* (server: Server) {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
  )
  yield* Effect.promise(() => once(server, "listening"))
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
})
