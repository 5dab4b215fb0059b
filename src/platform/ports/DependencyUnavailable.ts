import { Schema } from "effect"

/**
 * A dependency of an operation does not answer now; nothing was changed. As a defect it makes the answer a 503 in its
 * family, and the same request may succeed later.
 */
export class DependencyUnavailable extends Schema.TaggedError<DependencyUnavailable>()(
  "DependencyUnavailable",
  {
    /** Name of the dependency, such as `rate limits`. */
    dependency: Schema.String
  }
) {}
