import { limits } from "../../../schemas/platform/rate-limits/limits.ts"
import { type Quota, quotaOf } from "./RateLimits.ts"

/** Returns the headers that report one limit (draft-ietf-httpapi-ratelimit-headers). */
export const quotaHeaders = ({ limit, remaining, resetSeconds }: Quota, factor: number) => ({
  "ratelimit-policy": `"${limit}";q=${quotaOf(limit, factor)};w=${limits[limit].windowSeconds}`,
  ratelimit: `"${limit}";r=${remaining};t=${resetSeconds}`
})
