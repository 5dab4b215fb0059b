import { createServer, type IncomingMessage } from "node:http"
import * as NodeWS from "@effect/platform-node/NodeWS"
import { Effect } from "effect"
import { listening } from "../../support/listening.ts"

/** A message to a node's websocket. */
export interface SocketRequest {
  readonly action: string
  readonly ack?: boolean
  readonly options?: {
    readonly accounts?: ReadonlyArray<string>
    readonly accounts_add?: ReadonlyArray<string>
    readonly accounts_del?: ReadonlyArray<string>
  }
}

/** Sends frames, or ends the connection. */
export interface SocketEnd {
  readonly send: (frame: object | string | Uint8Array) => void
  readonly close: () => void
}

/** A node's websocket whose script handles each message. Messages without a script are acknowledged. */
export const scriptedSocket = Effect.fnUntraced(function* (
  script: (request: SocketRequest, end: SocketEnd, connection: number) => "done" | undefined = () => undefined
) {
  const requests: Array<SocketRequest> = []
  const handshakes: Array<IncomingMessage> = []
  const ends: Array<SocketEnd> = []
  const server = createServer()
  const sockets = new NodeWS.WebSocketServer({ server })
  sockets.on("connection", (socket, handshake) => {
    handshakes.push(handshake)
    const connection = handshakes.length
    const end: SocketEnd = {
      send: (frame) =>
        socket.send(typeof frame === "string" || frame instanceof Uint8Array ? frame : JSON.stringify(frame)),
      close: () => socket.terminate()
    }
    ends.push(end)
    socket.on("error", () => {})
    socket.on("message", (data) => {
      const request = JSON.parse(String(data))
      requests.push(request)
      if (script(request, end, connection) === "done") return
      if (request.action === "ping") end.send({ ack: "pong", time: "1" })
      else if (request.ack) end.send({ ack: request.action, time: "1" })
    })
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.clients.forEach((client) => client.terminate())))
  const port = yield* listening(server)
  return { url: `ws://127.0.0.1:${port}`, requests, handshakes, ends }
})
