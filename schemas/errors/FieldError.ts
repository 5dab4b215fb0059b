import { Schema } from "effect"

/** One offending member of a request: its path, a stable snake_case code for programs, a sentence for people. */
export const FieldError = Schema.Struct({
  field: Schema.String,
  code: Schema.String,
  message: Schema.String
}).annotate({ identifier: "FieldError" })
export type FieldError = typeof FieldError.Type
