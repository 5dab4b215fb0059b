import { UPLOAD_REQUEST_MILLIS } from "../../publishing/uploads/operation/deadlines.ts"

/** Bounds of the server: times in milliseconds, sizes in bytes. */
export interface ServerLimits {
  /** For the headers of a request; guards against clients that send slowly on purpose. */
  readonly headersMs: number
  /** For a whole request with its body. */
  readonly requestMs: number
  /** For a request that uploads a file, possibly over a slow connection. */
  readonly uploadMs: number
  /** Between checks of these times; a request is cut at most this much later. */
  readonly checkMs: number
  /** For the next request of a connection. */
  readonly keepAliveMs: number
  /** For requests in flight when the service stops. */
  readonly shutdownMs: number
  /** For a client to take a part of its answer. One that takes nothing is cut within twice this time. */
  readonly stalledMs: number
  /** Of answers that wait for their clients, in the whole process. Beyond it, the client with the most is cut. */
  readonly waitingBytesMax: number
  /** Open connections. Beyond it, the connection that has been idle longest is closed for a new one. */
  readonly connectionsMax: number
  /** Open connections of one client: an IPv4 address or an IPv6 /64. Trusted proxies have no such bound. */
  readonly connectionsPerClientMax: number
}

export const SERVER_LIMITS: ServerLimits = {
  headersMs: 5_000,
  requestMs: 15_000,
  uploadMs: UPLOAD_REQUEST_MILLIS,
  checkMs: 1_000,
  keepAliveMs: 75_000,
  shutdownMs: 10_000,
  stalledMs: 15_000,
  waitingBytesMax: 64 * 1024 * 1024,
  connectionsMax: 5_000,
  connectionsPerClientMax: 256
}
