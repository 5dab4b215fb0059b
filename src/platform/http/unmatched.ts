import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { MethodNotAllowed } from "../../../schemas/platform/errors/common.ts"
import { errorAnswer } from "./errorAnswer.ts"
import type { ServicePath } from "./paths.ts"

/**
 * Headers that pages of other origins may send: every one that an operation reads, and those by which a browser continues a
 * trace. Payers built on the reference client of x402 send `Access-Control-Expose-Headers`, too, although it is a header of
 * answers.
 */
const ALLOWED = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "If-Range",
  "Range",
  "X-Post-Revision",
  "X-Request-Id",
  "X-Upload-Target-Key",
  "PAYMENT-SIGNATURE",
  "X-PAYMENT",
  "X-Purchase-Receipt",
  "X-Gift-Token",
  "X-Session-Token",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Session-Id",
  "traceparent",
  "tracestate",
  "Access-Control-Expose-Headers"
].join(", ")

/** Answers a CORS preflight: any origin, no credentials, and every header that an operation reads. */
const preflight = (allow: string) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      allow,
      "access-control-allow-methods": allow,
      "access-control-allow-headers": ALLOWED,
      "access-control-max-age": "86400"
    }
  })

/**
 * Answers a method that a path does not have. OPTIONS is a preflight; others get 405 and `Allow` in the path's family.
 */
export const answerUnmatched = (
  method: string,
  { allow, family }: ServicePath
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  method === "OPTIONS"
    ? Effect.succeed(preflight(allow))
    : errorAnswer(new MethodNotAllowed(), family, { allow })
