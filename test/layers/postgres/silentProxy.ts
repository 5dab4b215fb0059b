import { connect, createServer, type Socket } from "node:net"
import { Effect, Redacted } from "effect"
import { listening } from "../../support/listening.ts"

/** Starts a proxy in front of the server of a database URL; it ends with the scope. */
export const silentProxy = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const target = new URL(Redacted.value(url))
  let isSilent = false
  let silenced = 0

  const forward = (from: Socket, to: Socket, pair: { isDead: boolean }) => {
    from.on("data", (chunk) => {
      if (isSilent && !pair.isDead) silenced += 1
      pair.isDead ||= isSilent
      if (!pair.isDead) to.write(chunk)
    })
    from.on("error", () => {}).on("close", () => to.destroy())
  }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const pair = { isDead: false }
    forward(client, upstream, pair)
    forward(upstream, client, pair)
  })
  const port = yield* listening(server)
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
