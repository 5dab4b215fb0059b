import { Effect, Schema } from "effect"
import { fieldErrorsOf, validationOf } from "../../../schemas/platform/errors/fieldErrors.ts"

/** Makes the check of an `unchecked` value of a procedure, as strict as that of a body: it names every wrong member. */
export const checked = <A, Encoded>(schema: Schema.Codec<A, Encoded>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })
  return (value: Encoded) =>
    Effect.mapError(decode(value), ({ issue }) => validationOf(fieldErrorsOf(issue, "body")))
}
