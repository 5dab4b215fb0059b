import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { answerBadRequest } from "./badRequest.ts"

/** How long the service waits for others, in milliseconds. */
export interface Patience {
  /** For the headers of a request, against clients that send slowly on purpose. */
  readonly headersMs: number
  /** For a whole request, its body included. */
  readonly requestMs: number
  /** For one that uploads a file, which some have to send over slow connections. */
  readonly uploadMs: number
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
  uploadMs: 120_000,
  checkMs: 1_000,
  keepAliveMs: 75_000,
  shutdownMs: 10_000
}

/** Operations that take no form refuse it at once, whatever time it has. */
const isUpload = ({ headers }: IncomingMessage) =>
  headers["content-type"]?.startsWith("multipart/form-data") === true

const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** What Node says of a request that took too long. */
const tooLate = Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" })

/** Node's server, with the limits of ours. */
export const makeNodeServer = ({ checkMs, headersMs, keepAliveMs, requestMs, uploadMs }: Patience) => {
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: Math.max(requestMs, uploadMs),
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 16_384
  })
  server.on("clientError", answerBadRequest)

  // Node has one time for every request; that of an upload is for uploads alone.
  const looksMax = Math.ceil(requestMs / checkMs)
  const looks = new Map<IncomingMessage, number>()
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request) || isUpload(request)) return
    looks.set(request, 0)
    response.once("close", () => looks.delete(request))
  })

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
    /** Refuses requests that are no uploads and have not arrived in time; to be called every `checkMs`. */
    cutLate: () => {
      for (const [request, before] of looks) {
        looks.set(request, before + 1)
        if (before >= looksMax && !request.complete) answerBadRequest(tooLate, request.socket)
      }
    },
    /** Cuts what is left when requests have had their time; a server that closes no longer looks how long they take. */
    cutConnections: () => server.closeAllConnections()
  }
}
