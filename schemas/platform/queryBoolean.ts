import { Schema, SchemaTransformation } from "effect"

/** `true` or `false` in a query, which the OpenAPI document shows as a boolean. */
export const queryBoolean = (keywords: { readonly default: boolean }) =>
  Schema.declare((value: unknown): value is string => typeof value === "string", {
    expected: "true or false",
    // A query has only texts, so neither codec changes it.
    toCodecJson: () => undefined,
    toCodecStringTree: () => undefined
  })
    .check(
      Schema.makeFilter((text: string) => text === "true" || text === "false", {
        expected: "true or false",
        toJsonSchema: () => ({ type: "boolean", ...keywords })
      })
    )
    .pipe(
      Schema.decodeTo(
        Schema.Boolean,
        SchemaTransformation.transform({ decode: (text) => text === "true", encode: String })
      )
    )
