import { type IncomingMessage, Server, type ServerResponse } from "node:http"
import { Backlog } from "./Backlog.ts"
import { answeringBadRequests } from "./badRequest.ts"
import { limitConnections } from "./connections.ts"
import type { ServerLimits } from "./limits.ts"
import { pacedResponses } from "./PacedResponse.ts"

/** Returns true for a form. Operations without a form refuse it at once, however long it may take. */
const isUpload = ({ headers }: IncomingMessage) =>
  headers["content-type"]?.startsWith("multipart/form-data") === true

const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Answers a request, or returns false to leave it to the listeners of the server. */
export type Answerer = (request: IncomingMessage, response: ServerResponse) => boolean

/**
 * A server with an answerer before its listeners. Node emits each request once, in this method. It reads all requests
 * that came in one piece, even when an earlier one of them has closed the connection; the later ones are dropped here.
 */
class AnsweringServer extends Server {
  answerer: Answerer | undefined

  /** Leaves a request to the listeners. */
  leave(request: IncomingMessage, response: ServerResponse): boolean {
    return super.emit("request", request, response)
  }

  override emit(event: string, ...values: ReadonlyArray<never>): boolean {
    if (event !== "request") return super.emit(event, ...values)
    const [request, response] = values as ReadonlyArray<unknown> as [IncomingMessage, ServerResponse]
    if (request.socket.destroyed) return true
    return this.answerer?.(request, response) === true || super.emit(event, request, response)
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
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
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

export interface NodeServerOptions {
  readonly limits: ServerLimits
  /** Origin of the URLs of problems. */
  readonly baseUrl: string
  /** Names the client of an address; undefined for a proxy, which connects for many. */
  readonly clientOf: (address: string | undefined) => string | undefined
}

/** Returns Node's server within these limits. */
export const makeNodeServer = ({ baseUrl, clientOf, limits }: NodeServerOptions) => {
  const { checkMs, headersMs, keepAliveMs, requestMs, stalledMs, uploadMs } = limits
  const backlog = new Backlog({
    bytesMax: limits.backlogBytesMax,
    connectionBytesMax: limits.connectionBacklogBytesMax,
    checksMax: Math.ceil(stalledMs / checkMs)
  })
  const server = new AnsweringServer({
    headersTimeout: headersMs,
    // Node has one timeout for all requests; `check` enforces the shorter one for requests without a file.
    requestTimeout: Math.max(requestMs, uploadMs),
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 16_384,
    ServerResponse: pacedResponses(backlog)
  })
  const refuse = answeringBadRequests(baseUrl)
  server.on("clientError", refuse)
  limitConnections(server, { ...limits, clientOf })
  const cutLateRequests = cuttingLateRequests(server, Math.ceil(requestMs / checkMs), refuse)

  const openResponses = new Set<ServerResponse>()
  let isStopping = false
  server.on("request", (_, response: ServerResponse) => {
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
    /**
     * Refuses late requests and cuts stalled clients; call it every `checkMs`. Returns the number of clients cut since.
     */
    check: (): number => {
      cutLateRequests()
      backlog.check()
      return backlog.takeCuts()
    },
    /** Cuts the connections that remain after requests have had their time. */
    cutConnections: () => server.closeAllConnections()
  }
}
