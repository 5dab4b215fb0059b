import { assert, describe, it } from "@effect/vitest"
import { RateLimitExceeded } from "../../../src/platform/rate-limits/RateLimits.ts"
import { refusalOf } from "../../../src/web/write/refusals.ts"

describe("the words of a refused post", () => {
  it("An author who made too many drafts is told to try again later", () => {
    const { status, told } = refusalOf(
      new RateLimitExceeded({ limit: "post-creation", retryAfterSeconds: 9 })
    )
    assert.strictEqual(status, 429)
    assert.match(told?.said ?? "", /many drafts today/)
  })
})
