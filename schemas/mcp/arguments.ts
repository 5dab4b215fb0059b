import { Schema } from "effect"
import { UUID } from "../platform/Ids.ts"

/** The smallest, largest and default size of a part of a text, in bytes of UTF-8. Clients drop much longer results. */
export const PART_BYTES = { minimum: 1_000, maximum: 48_000, default: 24_000 } as const

/** Number of Posts in an answer to a search. */
export const SEARCH_LIMIT = { minimum: 1, maximum: 20, default: 10 } as const

/** An integer, without the bounds that its usual JSON Schema repeats each time. */
export const Whole = Schema.Number.check(Schema.isInt({ toJsonSchema: () => ({ type: "integer" }) }))

/** The id of a Post. Its pattern stays out of the JSON Schema, which every client sends to its model. */
export const PostIdArgument = Schema.String.check(
  Schema.isPattern(UUID, { expected: "a UUID", toJsonSchema: () => ({ format: "uuid" }) })
).annotate({ description: "Post id from svc_search" })

/** A place in a text, in characters. */
export const Offset = Whole.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
  description: "nextOffset of the part before"
})

/** The size of a part of a text. */
export const MaxBytes = Whole.check(Schema.isBetween(PART_BYTES)).annotate({
  description: `Default ${PART_BYTES.default}`
})

/** Text of at most this many characters. */
export const textArgument = (maximum: number, description: string) =>
  Schema.String.check(Schema.isMaxLength(maximum)).annotate({ description })
