import { Schema } from "effect"

/**
 * A value that a procedure takes as JSON and then checks, because people wrote it. A wrong one fails the call with
 * `Validation`, as it does over HTTP. A schema with checks would instead end the fiber of the caller, before anything is sent.
 */
export const unchecked = <Encoded>(_schema: Schema.Codec<unknown, Encoded, never, never>) =>
  // The type is what callers send. A handler still has to decode it, which gives it its brands.
  Schema.Unknown as unknown as Schema.Codec<Encoded>
