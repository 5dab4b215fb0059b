import { Schema } from "effect"

/**
 * A dependency of an operation is not answering; nothing was changed. As a defect, it becomes a 503 in the family of
 * the operation. The same request may succeed later.
 */
export class DependencyUnavailable extends Schema.TaggedError<DependencyUnavailable>()(
  "DependencyUnavailable",
  {
    /** Name of the dependency, such as `rate limits`. */
    dependency: Schema.String,
    /** A sentence for the caller in place of the general one of the family. */
    detail: Schema.optionalKey(Schema.String)
  }
) {}
