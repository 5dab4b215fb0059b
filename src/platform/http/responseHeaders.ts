import { HttpServerResponse } from "effect/http"

/** Seconds after which a caller repeats a request that a lost dependency failed. */
const RETRY_AFTER_SECONDS = "2"

/** Headers that browsers show to pages of other origins. */
const EXPOSED = [
  "X-Request-Id",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "x-idempotency-replay",
  "ETag",
  "PAYMENT-REQUIRED",
  "PAYMENT-RESPONSE"
].join(", ")

/**
 * Adds the headers of every response: its request id, CORS and safety. A response without a cache header is private to
 * its caller. An error of a read that differs between viewers names the headers it varies by.
 */
export const withResponseHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  requestId: string,
  varies: boolean
): HttpServerResponse.HttpServerResponse => {
  const { headers: own, status } = response
  const headers: Record<string, string> = {
    "cache-control": own["cache-control"] ?? "private, no-store",
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "referrer-policy": own["referrer-policy"] ?? "strict-origin-when-cross-origin",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": EXPOSED
  }
  if (varies) headers["vary"] = "Authorization"
  if (status === 401) headers["www-authenticate"] = "Bearer"
  if (status === 503) headers["retry-after"] = RETRY_AFTER_SECONDS
  return HttpServerResponse.setHeaders(response, headers)
}
