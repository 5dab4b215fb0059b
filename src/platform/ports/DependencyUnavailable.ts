import { Schema } from "effect"

/**
 * Something that an operation needs does not answer now; nothing was changed. Where it is a defect, the operation is
 * answered 503 in its family, and the same request may succeed later.
 */
export class DependencyUnavailable extends Schema.TaggedError<DependencyUnavailable>()(
  "DependencyUnavailable",
  {
    /** What does not answer, such as `rate limits`. */
    dependency: Schema.String
  }
) {}
