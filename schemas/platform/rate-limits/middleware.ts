import { Context } from "effect"
import { HttpApiMiddleware, OpenApi } from "effect/http-api"
import { RateLimited, RateLimitedProblem } from "../errors/families.ts"
import { describeLimited } from "../openapi.ts"
import { type LimitName, RateLimit } from "./limits.ts"

// A group adds one of the two first, so that it is inside the check of the credential and knows whose request it is.

/** Counts requests against the limit of their endpoint; answers a used up one as a problem. */
export class ProblemRateLimits extends HttpApiMiddleware.Service<ProblemRateLimits>()(
  "pennypress/schemas/platform/rate-limits/ProblemRateLimits",
  { error: RateLimitedProblem }
) {}

/** The same for the ordinary JSON family. */
export class JsonRateLimits extends HttpApiMiddleware.Service<JsonRateLimits>()(
  "pennypress/schemas/platform/rate-limits/JsonRateLimits",
  { error: RateLimited }
) {}

/** The annotations of endpoints that have this limit: for the service, and for the OpenAPI document. */
export const rateLimit = (name: LimitName) =>
  Context.make(RateLimit, name).pipe(Context.add(OpenApi.Transform, describeLimited))
