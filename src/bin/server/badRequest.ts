import { randomUUID } from "node:crypto"
import { type ServerResponse, STATUS_CODES } from "node:http"
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

/** Returns the text of a problem, as operations write it. */
const problemText = (baseUrl: string, slug: ProblemSlug, detail: string) => {
  const { status, title } = problems[slug]
  return JSON.stringify({ type: `${baseUrl}/problems/${slug}`, title, status, detail })
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
    const body = problemText(baseUrl, slug, `${meaning} ${remedy}`)
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

/** Seconds after which a client asks again. The service takes about one to start. */
const RETRY_AFTER_SECONDS = "1"

/** Returns a function that answers a request of a client that came before the service had started, or after it stopped. */
export const answeringUnavailable =
  (baseUrl: string) =>
  (response: ServerResponse): void => {
    const body = problemText(
      baseUrl,
      "dependency-unavailable",
      "The service is starting or stopping. Repeat the request after the seconds in Retry-After."
    )
    response.writeHead(problems["dependency-unavailable"].status, {
      "content-type": "application/problem+json",
      "content-length": Buffer.byteLength(body),
      "retry-after": RETRY_AFTER_SECONDS,
      "cache-control": "no-store",
      "x-request-id": randomUUID(),
      "x-content-type-options": "nosniff",
      connection: "close"
    })
    response.end(body)
  }
