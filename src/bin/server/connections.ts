import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Maximum number of requests that a client may send on one connection before the first is answered. */
export const PIPELINED_MAX = 16

export interface ConnectionLimits {
  readonly connectionsMax: number
  readonly connectionsPerClientMax: number
  readonly stalledMs: number
  /** Names the client of an address; undefined for a proxy, which connects for many. */
  readonly clientOf: (address: string | undefined) => string | undefined
}

/**
 * Bounds the connections of each client and of the whole server. When the server is full, an idle connection makes
 * room. A client that takes nothing of its answer is cut.
 */
export const limitConnections = (server: Server, limits: ConnectionLimits): void => {
  const { clientOf, connectionsMax, connectionsPerClientMax, stalledMs } = limits
  const counts = new Map<string, number>()
  /** Connections without a request in flight, in the order in which they became idle. */
  const idle = new Set<Socket>()
  const pending = new Map<Socket, Set<ServerResponse>>()
  let open = 0

  const release = (client: string | undefined, socket: Socket) => {
    open--
    idle.delete(socket)
    // Node reports the end of a connection only to its current answer; requests behind it end, too.
    for (const response of pending.get(socket) ?? []) response.emit("close")
    pending.delete(socket)
    if (client === undefined) return
    const left = (counts.get(client) ?? 1) - 1
    if (left === 0) counts.delete(client)
    else counts.set(client, left)
  }

  server.on("connection", (socket: Socket) => {
    const client = clientOf(socket.remoteAddress)
    const count = client === undefined ? 0 : (counts.get(client) ?? 0)
    if (count >= connectionsPerClientMax) return socket.destroy()
    if (open >= connectionsMax) {
      const [longestIdle] = idle
      if (longestIdle === undefined) return socket.destroy()
      idle.delete(longestIdle)
      longestIdle.destroy()
    }
    open++
    if (client !== undefined) counts.set(client, count + 1)
    idle.add(socket)
    return socket.once("close", () => release(client, socket))
  })

  // Node calls this when nothing came and nothing of an answer left for this time, or when an idle connection has ended.
  server.setTimeout(stalledMs, (socket) => {
    if (idle.has(socket) || socket.writableLength > 0) socket.destroy()
  })

  server.on("incoming", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const unanswered = pending.get(socket) ?? new Set()
    pending.set(socket, unanswered.add(response))
    idle.delete(socket)
    if (unanswered.size > PIPELINED_MAX) socket.destroy()
    response.once("close", () => {
      unanswered.delete(response)
      if (unanswered.size === 0 && !socket.destroyed) idle.add(socket)
    })
  })
}
