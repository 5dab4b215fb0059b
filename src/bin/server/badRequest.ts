import { randomUUID } from "node:crypto"
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { problems, type ProblemSlug } from "../../../schemas/platform/errors/problems.ts"

/** Field in which Node keeps the current answer of a socket. */
type Answering = Duplex & { readonly _httpMessage?: { readonly headersSent: boolean } | null }

const slugs: Readonly<Record<string, ProblemSlug>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "request-timeout",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "payload-too-large",
  HPE_HEADER_OVERFLOW: "headers-too-large",
  HPE_INVALID_CONTENT_LENGTH: "length-required"
}

type ParserError = Error & { readonly code?: string }

/**
 * Returns a function that answers a request which Node's parser refuses, or which arrives too late. Operations never
 * see such a request, so the answer is made here: a problem with a request id.
 */
export const answeringBadRequests =
  (baseUrl: string) =>
  (error: ParserError, socket: Duplex): void => {
    // A second answer must not follow one that has begun.
    const hasBegun = (socket as Answering)._httpMessage?.headersSent === true
    if (!socket.writable || hasBegun || error.code === "ECONNRESET") {
      socket.destroy()
      return
    }
    const slug = slugs[error.code ?? ""] ?? "malformed-request"
    const { meaning, remedy, status, title } = problems[slug]
    const body = JSON.stringify({
      type: `${baseUrl}/problems/${slug}`,
      title,
      status,
      detail: `${meaning} ${remedy}`
    })
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? title}`,
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
