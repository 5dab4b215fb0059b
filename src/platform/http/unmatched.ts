import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { MethodNotAllowed, NotFound } from "../../../schemas/platform/errors/common.ts"
import { errorAnswer } from "./errorAnswer.ts"
import type { ServicePath } from "./ServicePaths.ts"

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

const OR = new Intl.ListFormat("en", { type: "disjunction" })

const methodsOf = (methods: ReadonlySet<string>) => OR.format(methods)

/**
 * Answers a method that a path does not have. OPTIONS is a preflight; others get 405 and `Allow` in the path's family.
 */
export const answerUnmatched = (
  method: string,
  { allow, family, methods }: ServicePath
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  method === "OPTIONS"
    ? Effect.succeed(preflight(allow))
    : errorAnswer(
        new MethodNotAllowed({ detail: `This path has no such method: send ${methodsOf(methods)}` }),
        family,
        { allow }
      )

/** Returns the error of a path that the service does not have. `near` is the one that was probably meant. */
export const unknownPath = (near?: Pick<ServicePath, "template" | "methods">): NotFound => {
  const meant =
    near === undefined
      ? "See /openapi.json and /llms.txt for the paths of this service"
      : `Did you mean ${methodsOf(near.methods)} ${near.template.replaceAll(/:(\w+)/g, "{$1}")}?`
  return new NotFound({ detail: `Nothing has this path. ${meant}` })
}
