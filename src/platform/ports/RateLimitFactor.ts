import { Context } from "effect"

/**
 * What every limit of the table is multiplied with (setting `RATE_LIMIT_FACTOR`), so that a load test, or a service
 * behind a gateway that has limits of its own, can widen them. A limit is at least one request, whatever the factor.
 */
export const RateLimitFactor = Context.Reference<number>("pennypress/platform/ports/RateLimitFactor", {
  defaultValue: () => 1
})
