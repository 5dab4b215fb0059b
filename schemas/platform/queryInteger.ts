import { Schema, SchemaTransformation } from "effect"

interface Range {
  readonly minimum: number
  readonly maximum: number
  /** The value that the service takes when the parameter is absent; only the document uses it. */
  readonly default?: number
}

/** The digits of a query parameter, which the OpenAPI document shows as an integer. Refuses `1e1` and `+5`. */
const digits = (range: Range) =>
  Schema.declare((value: unknown): value is string => typeof value === "string", {
    expected: "a whole number",
    // A query has only texts, so neither codec changes it.
    toCodecJson: () => undefined,
    toCodecStringTree: () => undefined
  }).check(
    Schema.makeFilter((text: string) => /^-?[0-9]{1,15}$/.test(text), {
      expected: "a whole number",
      toJsonSchema: () => ({ type: "integer", ...range })
    })
  )

/** A whole number in a query, from `minimum` to `maximum`; outside of them it is `out_of_range`. */
export const queryInteger = (range: Range) =>
  digits(range).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween(range)),
      SchemaTransformation.transform({ decode: Number, encode: String })
    )
  )
