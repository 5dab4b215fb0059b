import { once } from "node:events"
import { connect, createServer, type NetConnectOpts, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, type Scope } from "effect"

/** What happens to a connection. */
type ConnectionFault =
  /** It is forwarded, and each piece of the answer comes so much later. */
  | { readonly to: NetConnectOpts; readonly lateMillis?: number }
  /** It is cut at once, as by a machine that is there and a service that is not. */
  | "cut"
  /** It is kept, and nothing is said. */
  | "silent"
  /** This is answered to whatever comes, and the connection ended. */
  | { readonly answer: string }

/** A proxy before a TCP service, whose connections have the fault that is set when they are made. */
export interface FaultProxy {
  readonly port: number
  readonly set: (fault: ConnectionFault) => Effect.Effect<void>
  /** How many connections were made. */
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

/** A proxy that cuts what is made before it is set; it ends with the scope. */
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
