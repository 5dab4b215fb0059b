import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

/** Time for a connection to open. */
const CONNECT_MILLIS = 5_000

const isSocket = (socket: Duplex | null | undefined): socket is Socket =>
  socket !== null && socket !== undefined && "setTimeout" in socket

/** Ends a socket that does not connect in time. The caller has to bound later silences. */
const bounded = <A extends HttpAgent>(agent: A, connectMillis: number): A => {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, done) => {
    const socket = connect(options, done)
    if (isSocket(socket)) {
      const isLate = () => socket.destroy(new Error("The connection did not open in time"))
      socket.setTimeout(connectMillis, isLate)
      const opened = () => {
        socket.setTimeout(0)
        socket.off("timeout", isLate)
      }
      socket.once(agent instanceof HttpsAgent ? "secureConnect" : "connect", opened)
    }
    return socket
  }
  return agent
}

const agents = (connectMillis: number) =>
  Effect.acquireRelease(
    Effect.sync(() => ({
      http: bounded(new HttpAgent(), connectMillis),
      https: bounded(new HttpsAgent(), connectMillis)
    })),
    ({ http, https }) =>
      Effect.sync(() => {
        http.destroy()
        https.destroy()
      })
  )

/** Sends requests as `layer` does, over connections that open within this number of milliseconds. */
export const layerWithin = (connectMillis: number) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.flatMap(agents(connectMillis), (agent) =>
      Effect.provideService(NodeHttpClient.makeNodeHttp, NodeHttpClient.HttpAgent, agent)
    )
  )

/** Sends the requests of the local edition: no redirects, no proxy, no cookies, no cache. */
export const layer = layerWithin(CONNECT_MILLIS)
