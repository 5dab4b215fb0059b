import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { answeringBadRequests, answeringUnavailable } from "./badRequest.ts"
import { limitConnections } from "./connections.ts"
import type { ServerLimits } from "./limits.ts"

/** Bytes of a file that arrive in a second at least. */
const FILE_BYTES_PER_SECOND = 128 * 1024

/** Bytes of a file, at most: an operator allows no larger one. */
const FILE_BYTES_MAX = 2048 * 1024 * 1024

/** Milliseconds that bytes of a file may take. */
const fileMs = (bytes: number) => (Math.min(bytes, FILE_BYTES_MAX) / FILE_BYTES_PER_SECOND) * 1000

/**
 * Returns the milliseconds that the body of a request may take. Operations that read no form, or no file, refuse it at once,
 * however long it may take.
 */
const bodyMs = ({ headers }: IncomingMessage, { requestMs, uploadMs }: ServerLimits) => {
  const type = headers["content-type"]
  if (type?.startsWith("multipart/form-data") === true) return uploadMs
  if (type !== "application/octet-stream") return requestMs
  return Math.max(uploadMs, fileMs(Number(headers["content-length"] ?? 0)))
}

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

/** Returns a function that refuses requests whose bodies do not arrive in time. Call it every `checkMs`. */
const cuttingLateRequests = (
  server: Server,
  limits: ServerLimits,
  refuse: ReturnType<typeof answeringBadRequests>
) => {
  /** The calls that are left for each request. */
  const checks = new Map<IncomingMessage, number>()
  server.on("incoming", (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return
    checks.set(request, Math.ceil(bodyMs(request, limits) / limits.checkMs))
    response.once("close", () => checks.delete(request))
  })
  return () => {
    for (const [request, left] of checks) {
      checks.set(request, left - 1)
      if (left <= 0 && !request.complete) refuse(tooLate, request.socket)
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
    // Node has one timeout for all requests; `check` enforces the shorter ones.
    requestTimeout: Math.max(requestMs, uploadMs, fileMs(FILE_BYTES_MAX)),
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 16_384
  }
  const server = new AnsweringServer(options, answeringUnavailable(baseUrl))
  const refuse = answeringBadRequests(baseUrl)
  server.on("clientError", refuse)
  limitConnections(server, { ...limits, clientOf })
  const cutLateRequests = cuttingLateRequests(server, limits, refuse)

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
