import { randomUUID } from "node:crypto"
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"

/** Node keeps the answer that a socket is for the time being used for here, and looks at it as we do. */
type Answering = Duplex & { readonly _httpMessage?: { readonly headersSent: boolean } | null }

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413
}

/**
 * Answers what is no HTTP request, or did not come in time. No operation has seen it, so it has a problem without a
 * type of ours, and still a request id.
 */
export const answerBadRequest = (error: Error & { readonly code?: string }, socket: Duplex): void => {
  // An answer that has begun must not be followed by another.
  const hasBegun = (socket as Answering)._httpMessage?.headersSent === true
  if (!socket.writable || hasBegun || error.code === "ECONNRESET") {
    socket.destroy()
    return
  }
  const status = statuses[error.code ?? ""] ?? 400
  const title = STATUS_CODES[status] ?? "Bad Request"
  const body = JSON.stringify({
    type: "about:blank",
    title,
    status,
    detail: "This is not a request that can be read."
  })
  socket.end(
    [
      `HTTP/1.1 ${status} ${title}`,
      "Content-Type: application/problem+json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${randomUUID()}`,
      "X-Content-Type-Options: nosniff",
      "Connection: close",
      "",
      body
    ].join("\r\n")
  )
}
