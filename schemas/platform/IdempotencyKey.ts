import { Schema } from "effect"
import { atLeast, atMost, described } from "./Text.ts"

const IDEMPOTENCY_KEY_LENGTH_MAX = 255
const VISIBLE_ASCII = /^[!-~]*$/u

const idempotencyKey = (limit: number) =>
  Schema.String.check(
    atLeast(1),
    atMost(limit),
    Schema.isPattern(VISIBLE_ASCII, {
      expected: `1 to ${limit} visible ASCII characters without spaces`
    })
  )

/**
 * A key of the caller's own that names one request: 1 to 255 visible ASCII characters (spec 4.3.6). HTTP removes the
 * white space around the value of a header.
 */
export const IdempotencyKey = idempotencyKey(IDEMPOTENCY_KEY_LENGTH_MAX)

/** An {@link IdempotencyKey} that a handler checks, which reports it together with other errors of the request. */
export const UncheckedIdempotencyKey = Schema.String.check(
  described({ minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH_MAX, pattern: VISIBLE_ASCII.source })
)

/** The same for Comments and reports: 1 to 128 visible ASCII characters (spec 4.6.1). */
export const ShortIdempotencyKey = idempotencyKey(128)
