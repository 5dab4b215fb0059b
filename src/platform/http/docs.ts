import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"

// The page brings its script in itself, and may load from and send to this origin alone.
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

/** To be provided to `DocsLive`. */
export const DocsPolicy = HttpRouter.middleware((page) =>
  Effect.map(page, HttpServerResponse.setHeader("content-security-policy", POLICY))
).layer

/** The reference of every operation, to read and to try, without anything from another host. */
export const DocsLive = HttpApiScalar.layer(Api, { path: "/docs", scalar: { withDefaultFonts: false } })
