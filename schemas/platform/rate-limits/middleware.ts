import { Context } from "effect"
import { HttpApiMiddleware, OpenApi } from "effect/http-api"
import { RateLimited } from "../errors/common.ts"
import { inJson } from "../errors/inJson.ts"
import { inProblems } from "../errors/inProblems.ts"
import { describeLimited } from "../openapi.ts"
import { type LimitName, RateLimit } from "./limits.ts"

// A group adds one of the two first: it then runs inside the credential check and knows the caller.

/** Counts requests against the limit of their endpoint; refuses excess requests with a problem. */
export class ProblemRateLimits extends HttpApiMiddleware.Service<ProblemRateLimits>()(
  "pennypress/schemas/platform/rate-limits/ProblemRateLimits",
  { error: inProblems(RateLimited, "rate-limited") }
) {}

/** Counts requests in the same way; refuses excess requests in the ordinary JSON family. */
export class JsonRateLimits extends HttpApiMiddleware.Service<JsonRateLimits>()(
  "pennypress/schemas/platform/rate-limits/JsonRateLimits",
  { error: inJson(RateLimited, "rate_limited") }
) {}

/** The annotations of endpoints that have this limit: for the service, and for the OpenAPI document. */
export const rateLimit = (name: LimitName) =>
  Context.make(RateLimit, name).pipe(Context.add(OpenApi.Transform, describeLimited))
