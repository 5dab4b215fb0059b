import { Effect } from "effect"
import { HttpBody, HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { DocumentedApi } from "../../../schemas/DocumentedApi.ts"

// The page contains its script. It loads from this origin alone and sends to it alone.
const POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** Returns the answer with its text encoded once, so that clients who read slowly share the bytes. */
const encodedOnce = (answer: HttpServerResponse.HttpServerResponse) => {
  const { body } = answer
  return body._tag === "Uint8Array"
    ? HttpServerResponse.setBody(answer, HttpBody.uint8Array(body.body, body.contentType))
    : answer
}

const withPolicy = <E, R>(page: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.map(page, (answer) =>
    HttpServerResponse.setHeader(encodedOnce(answer), "content-security-policy", POLICY)
  )

/** Serves the reference of every operation, to read and to try. {@link pageMiddleware} belongs to it. */
export const page = HttpApiScalar.layer(DocumentedApi, { path: "/docs", scalar: { withDefaultFonts: false } })

/** Keeps the page from loading anything from another host. */
export const pageMiddleware = HttpRouter.middleware(withPolicy).layer

// Made on the first request, because most test processes never need it.
const openApi = Effect.runSync(
  Effect.cached(Effect.sync(() => encodedOnce(HttpServerResponse.jsonUnsafe(OpenApi.fromApi(DocumentedApi)))))
)

/** Serves the OpenAPI document of the contract. */
export const document = HttpRouter.add("GET", "/openapi.json", openApi)
