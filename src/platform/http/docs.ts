import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { sharedBody } from "./sharedBody.ts"

// The page contains its script, and loads from and sends to this origin alone.
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

const withPolicy = <E, R>(page: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.map(page, HttpServerResponse.setHeader("content-security-policy", POLICY))

const sharedPage = sharedBody()
const sharedDocument = sharedBody()

/** The reference of every operation, to read and to try; {@link pageMiddleware} belongs to it. */
export const page = HttpApiScalar.layer(Api, { path: "/docs", scalar: { withDefaultFonts: false } })

/** Shares the page between its readers, and lets it load nothing from another host. */
export const pageMiddleware = HttpRouter.middleware((answer) => withPolicy(sharedPage(answer))).layer

// Made for the first who asks: most processes of a test never do.
const openApi = Effect.runSync(
  Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api))))
)

/** The OpenAPI document of the contract. */
export const document = HttpRouter.add("GET", "/openapi.json", sharedDocument(openApi))
