import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { answeringBadRequests, answeringUnavailable } from "./badRequest.ts"
import { limitConnections } from "./connections.ts"
import type { ServerLimits } from "./limits.ts"

/** Returns true for a form. Operations without a form refuse it at once, however long it may take. */
const isUpload = ({ headers }: IncomingMessage) =>
  headers["content-type"]?.startsWith("multipart/form-data") === true

const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Answers a request, or returns false to leave it to the listeners of the server. */
export type Answerer = (request: IncomingMessage, response: ServerResponse) => boolean

/** Events with which Node hands over a request. The second one is for a client that waits to send its body. */
const REQUEST_EVENTS = new Set(["request", "checkContinue"])

/**
 * A server with an answerer before its listeners. Node emits each request once, in this method. It reads all requests
 * that came in one piece, even when an earlier one of them has closed the connection; the later ones are dropped here.
 * The service listens to `request` only between its start and its stop; the bounds of the server listen to `incoming`.
 */
class AnsweringServer extends Server {
  answerer: Answerer | undefined
  readonly #refuse: (response: ServerResponse) => void

  /** `refuse` answers a request while the service does not listen. Otherwise, its client would wait for ever. */
  constructor(options: ServerOptions, refuse: (response: ServerResponse) => void) {
    super(options)
    this.#refuse = refuse
  }

  /** Leaves a request to the listeners. */
  leave(request: IncomingMessage, response: ServerResponse, event = "request"): boolean {
    super.emit("incoming", request, response)
    if (!super.emit(event, request, response)) this.#refuse(response)
    return true
  }

  override emit(event: string, ...values: ReadonlyArray<never>): boolean {
    if (!REQUEST_EVENTS.has(event)) return super.emit(event, ...values)
    const [request, response] = values as ReadonlyArray<unknown> as [IncomingMessage, ServerResponse]
    if (request.socket.destroyed) return true
    return this.answerer?.(request, response) === true || this.leave(request, response, event)
  }
}

/** Error that Node reports for a request that takes too long. */
const tooLate = Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" })

/** Returns a function that refuses requests whose bodies, uploads excepted, do not arrive in `checksMax` calls. */
const cuttingLateRequests = (
  server: Server,
  checksMax: number,
  refuse: ReturnType<typeof answeringBadRequests>
) => {
  const checks = new Map<IncomingMessage, number>()
  server.on("incoming", (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request) || isUpload(request)) return
    checks.set(request, 0)
    response.once("close", () => checks.delete(request))
  })
  return () => {
    for (const [request, before] of checks) {
      checks.set(request, before + 1)
      if (before >= checksMax && !request.complete) refuse(tooLate, request.socket)
    }
  }
}

/** Cuts the connections on which most bytes wait, until no more than `bytesMax` wait on all of them. */
const cutLargest = (responses: Iterable<ServerResponse>, bytesMax: number) => {
  const waiting = new Map<Socket, number>()
  let bytes = 0
  for (const { req, writableLength } of responses) {
    bytes += writableLength
    waiting.set(req.socket, (waiting.get(req.socket) ?? 0) + writableLength)
  }
  if (bytes <= bytesMax) return
  for (const [socket, size] of [...waiting].toSorted(([, one], [, other]) => other - one)) {
    socket.destroy()
    bytes -= size
    if (bytes <= bytesMax) return
  }
}

export interface NodeServerOptions {
  readonly limits: ServerLimits
  /** Origin of the URLs of problems. */
  readonly baseUrl: string
  /** Names the client of an address; undefined for a proxy, which connects for many. */
  readonly clientOf: (address: string | undefined) => string | undefined
}

/** Returns Node's server within these limits. */
export const makeNodeServer = ({ baseUrl, clientOf, limits }: NodeServerOptions) => {
  const { checkMs, headersMs, keepAliveMs, requestMs, uploadMs } = limits
  const options: ServerOptions = {
    headersTimeout: headersMs,
    // Node has one timeout for all requests; `check` enforces the shorter one for requests without a file.
    requestTimeout: Math.max(requestMs, uploadMs),
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 16_384
  }
  const server = new AnsweringServer(options, answeringUnavailable(baseUrl))
  const refuse = answeringBadRequests(baseUrl)
  server.on("clientError", refuse)
  limitConnections(server, { ...limits, clientOf })
  const cutLateRequests = cuttingLateRequests(server, Math.ceil(requestMs / checkMs), refuse)

  const openResponses = new Set<ServerResponse>()
  let isStopping = false
  server.on("incoming", (_, response: ServerResponse) => {
    if (isStopping) response.shouldKeepAlive = false
    openResponses.add(response)
    response.once("close", () => openResponses.delete(response))
  })

  return {
    server,
    /** Lets an answerer see each request first, until the server stops. */
    answerFirst: (answerer: Answerer) => {
      if (!isStopping) server.answerer = answerer
    },
    /** Leaves a request that the answerer took to the listeners after all. */
    leave: (request: IncomingMessage, response: ServerResponse) => server.leave(request, response),
    /** Closes the connection of each answer from now on, because a closing server waits for all connections. */
    stopKeepingAlive: () => {
      isStopping = true
      server.answerer = undefined
      for (const response of openResponses) response.shouldKeepAlive = false
    },
    /** Refuses late requests, and bounds the answers that wait; call it every `checkMs`. */
    check: () => {
      cutLateRequests()
      cutLargest(openResponses, limits.waitingBytesMax)
    },
    /** Cuts the connections that remain after requests have had their time. */
    cutConnections: () => server.closeAllConnections()
  }
}
