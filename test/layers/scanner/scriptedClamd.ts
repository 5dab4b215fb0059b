import type { Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import * as ScannerClamd from "../../../layers/scanner/ScannerClamd.ts"
import { Scanner, type ScannerUnavailable } from "../../../src/platform/ports/Scanner.ts"
import { rawServer } from "../mail/smtpServer.ts"

/** A scanner that asks the server at this address. */
export const scannerAt = (address: ScannerClamd.Options["address"]) =>
  Effect.provide(Scanner, ScannerClamd.layer({ address }))

/** A scanner whose server handles each connection with `talk`. */
export const scripted = Effect.fnUntraced(function* (talk: (socket: Socket, connection: number) => unknown) {
  let connections = 0
  const port = yield* rawServer((socket) => talk(socket, ++connections))
  return yield* scannerAt({ host: "127.0.0.1", port })
})

/** A scanner whose server sends these pieces, each in its own packet, after it received this many bytes. */
export const answering = (pieces: ReadonlyArray<string>, after: number) =>
  scripted((socket) => {
    const say = async () => {
      for (const piece of pieces) {
        await setTimeout(2)
        socket.write(piece, "latin1")
      }
      socket.end()
    }
    let received = 0
    socket.setNoDelay().on("data", (data) => {
      received += data.length
      if (received === after) void say()
    })
  })

/** The reason of an error. */
export const reason = <A, R>(effect: Effect.Effect<A, ScannerUnavailable, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)
