import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { Effect, Redacted } from "effect"

/** Starts a proxy in front of the server of a database URL; it ends with the scope. */
export const silentProxy = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const target = new URL(Redacted.value(url))
  const sockets = new Set<Socket>()
  let isSilent = false
  let silenced = 0

  const forward = (from: Socket, to: Socket, pair: { isDead: boolean }) => {
    sockets.add(from)
    from.on("data", (chunk) => {
      if (isSilent && !pair.isDead) silenced += 1
      pair.isDead ||= isSilent
      if (!pair.isDead) to.write(chunk)
    })
    from
      .on("error", () => {})
      .on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
  }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const pair = { isDead: false }
    forward(client, upstream, pair)
    forward(upstream, client, pair)
  })
  server.listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(server, "listening"))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const proxied = new URL(target)
  proxied.host = `127.0.0.1:${port}`
  return {
    url: Redacted.make(proxied.href),
    /** Drops all bytes from now on, and answers no new connection. */
    silence: Effect.sync(() => {
      isSilent = true
    }),
    /** Forwards again. A connection that lost bytes stays silent, as it does behind a network that dropped packets. */
    forward: Effect.sync(() => {
      isSilent = false
    }),
    /** Returns the number of connections that lost bytes. */
    silenced: () => silenced
  }
})
