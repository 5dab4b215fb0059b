import { createServer, type ServerResponse } from "node:http"
import { answerBadRequest } from "./badRequest.ts"

/** How long the service waits for others, in milliseconds. */
export interface Patience {
  /** For the headers of a request, against clients that send slowly on purpose. */
  readonly headersMs: number
  /** For a whole request, its body included. */
  readonly requestMs: number
  /** Between looks at whether these have passed, so that a request is cut this much later at most. */
  readonly checkMs: number
  /** For the next request of a connection. */
  readonly keepAliveMs: number
  /** For requests in flight when the service is told to stop. */
  readonly shutdownMs: number
}

/** What the service waits unless told otherwise. */
export const PATIENCE: Patience = {
  headersMs: 5_000,
  requestMs: 15_000,
  checkMs: 1_000,
  keepAliveMs: 75_000,
  shutdownMs: 10_000
}

/** Node's server, with the limits of ours. */
export const makeNodeServer = ({ checkMs, headersMs, keepAliveMs, requestMs }: Patience) => {
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 16_384
  })
  server.on("clientError", answerBadRequest)

  const inFlight = new Set<ServerResponse>()
  let isStopping = false
  server.on("request", (_, response: ServerResponse) => {
    if (isStopping) response.shouldKeepAlive = false
    inFlight.add(response)
    response.once("close", () => inFlight.delete(response))
  })

  return {
    server,
    /** From now on an answer closes its connection: a server that closes waits for all of them, used or not. */
    stopKeepingAlive: () => {
      isStopping = true
      for (const response of inFlight) response.shouldKeepAlive = false
    },
    /** Cuts what is left when requests have had their time; a server that closes no longer looks how long they take. */
    cutConnections: () => server.closeAllConnections()
  }
}
