import { HttpServerResponse } from "effect/http"

/**
 * Seconds after which a caller may repeat a request that failed because a dependency was away, unless the answer names
 * another time.
 */
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
  "PAYMENT-RESPONSE",
  "Content-Disposition",
  "Content-Range",
  "Accept-Ranges",
  "Repr-Digest",
  "X-Purchase-Receipt"
].join(", ")

/** Headers that answers for one reader do not have. */
const CROSS_ORIGIN = ["access-control-allow-origin", "access-control-expose-headers"]

/** Returns the headers that every response has. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  "x-request-id": requestId,
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED
})

/**
 * Adds the headers of every response: its request id, CORS and safety. A response without a cache header is private to
 * its caller. An error of a read that differs between viewers names the headers it varies by.
 */
export const withResponseHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  requestId: string,
  { isPrivate, varies }: { readonly isPrivate: boolean; readonly varies: boolean }
): HttpServerResponse.HttpServerResponse => {
  const { headers: own, status } = response
  const headers = commonHeaders(requestId)
  if (isPrivate) for (const name of CROSS_ORIGIN) delete headers[name]
  headers["cache-control"] = own["cache-control"] ?? "private, no-store"
  if (own["referrer-policy"] !== undefined) headers["referrer-policy"] = own["referrer-policy"]
  if (varies) headers["vary"] = "Authorization"
  if (status === 401) headers["www-authenticate"] = "Bearer"
  if (status === 503) headers["retry-after"] = own["retry-after"] ?? RETRY_AFTER_SECONDS
  return HttpServerResponse.setHeaders(response, headers)
}
