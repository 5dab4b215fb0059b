import { Schema, SchemaTransformation } from "effect"

interface Range {
  readonly minimum: number
  readonly maximum: number
  /** The value that the service takes when the parameter is absent; only the document uses it. */
  readonly default?: number
}

/** The digits of a query parameter, which the OpenAPI document shows as an integer. Refuses `1e1` and `+5`. */
const digits = (range: Partial<Range>, pattern = /^-?[0-9]{1,15}$/) =>
  Schema.declare((value: unknown): value is string => typeof value === "string", {
    expected: "a whole number",
    // A query has only texts, so neither codec changes it.
    toCodecJson: () => undefined,
    toCodecStringTree: () => undefined
  }).check(
    Schema.makeFilter((text: string) => pattern.test(text), {
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

/** A whole number in a query. The nearest number from `minimum` to `maximum` stands for one outside of them. */
export const clampedQueryInteger = ({ default: absent, maximum, minimum }: Required<Range>) =>
  digits({ default: absent }, /^-?[0-9]+$/)
    .annotate({ description: `Values outside ${minimum} to ${maximum} are clamped` })
    .pipe(
      Schema.decodeTo(
        Schema.Int,
        SchemaTransformation.transform({
          decode: (text) => Math.min(Math.max(Number(text), minimum), maximum),
          encode: String
        })
      )
    )
