import { Schema } from "effect"

/**
 * A value that a procedure takes as JSON and then checks, because people wrote it. A wrong one fails the call with
 * `Validation`, as it does over HTTP. A schema with checks would instead end the fiber of the caller, before anything is sent.
 * A handler still has to decode the value, which gives it its brands.
 */
export const unchecked = <Encoded>(_schema: Schema.Codec<unknown, Encoded>) =>
  Schema.declare((_value: unknown): _value is Encoded => true, {
    // It is JSON already. The codec of an unknown value would walk through all of it.
    toCodecJson: () => undefined
  })
