import { once } from "node:events"
import { connect, createServer, type NetConnectOpts, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, type Scope } from "effect"

/** The fate of a connection. */
type ConnectionFault =
  /** Forwards it, and delays each piece of the answer. */
  | { readonly to: NetConnectOpts; readonly lateMillis?: number }
  /** Cuts it at once, like a machine without the service. */
  | "cut"
  /** Keeps it open and answers nothing. */
  | "silent"
  /** Answers this to any request and closes the connection. */
  | { readonly answer: string }

/** A proxy in front of a TCP service. A connection has the fault that was set when it was made. */
export interface FaultProxy {
  readonly port: number
  readonly set: (fault: ConnectionFault) => Effect.Effect<void>
  /** Returns the number of connections made. */
  readonly connections: () => number
}

const forward = (client: Socket, to: NetConnectOpts, lateMillis: number) => {
  const server = connect(to)
  const end = () => {
    client.destroy()
    server.destroy()
  }
  const later = (run: () => void) => (lateMillis === 0 ? run() : void sleep(lateMillis).then(run))
  client.on("error", end).on("close", () => server.destroy())
  client.pipe(server)
  server.on("error", end)
  server.on("data", (chunk) => later(() => client.write(chunk)))
  server.on("end", () => later(() => client.end()))
}

/** Starts a proxy that cuts connections until a fault is set; it ends with the scope. */
export const faultProxy: Effect.Effect<FaultProxy, never, Scope.Scope> = Effect.gen(function* () {
  let fault: ConnectionFault = "cut"
  let connections = 0
  const clients = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    connections++
    clients.add(client)
    client.on("error", () => {}).on("close", () => clients.delete(client))
    if (fault === "cut") client.destroy()
    else if (fault === "silent") client.resume()
    else if ("answer" in fault) {
      client.resume()
      client.end(fault.answer)
    } else forward(client, fault.to, fault.lateMillis ?? 0)
  }).listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(server, "listening"))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      for (const client of clients) client.destroy()
    })
  )
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    set: (next) =>
      Effect.sync(() => {
        fault = next
      }),
    connections: () => connections
  } satisfies FaultProxy
})
