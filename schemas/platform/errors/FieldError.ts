import { Schema } from "effect"

/** One offending member of a request: its path, a stable snake_case code for programs, a sentence for people. */
export const FieldError = Schema.Struct({
  field: Schema.String,
  code: Schema.String,
  message: Schema.String,
  /** For Markdown that is refused: its unsupported feature, and the place where it begins. Line and column count from 1. */
  feature: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "FieldError" })
export type FieldError = typeof FieldError.Type
