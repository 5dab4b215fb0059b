import { Schema } from "effect"

/** Reasons for which a hosted tool fails. */
export const FailureCode = Schema.Literals(["validation", "rate-limited", "service-unavailable", "internal"])
export type FailureCode = typeof FailureCode.Type

/**
 * A failure that a model can act on. Its sentences are the service's own and never repeat text by a creator. Absent
 * values are null or empty.
 */
export class ToolFailure extends Schema.Error<ToolFailure>("pennypress/schemas/mcp/ToolFailure")({
  /** One of {@link FailureCode}, or in the local edition a marker or a code of the API. */
  code: Schema.String,
  message: Schema.String,
  retryable: Schema.Boolean,
  retryAfterSeconds: Schema.NullOr(Schema.Int),
  nextStep: Schema.NullOr(Schema.String),
  operationId: Schema.NullOr(Schema.String),
  fields: Schema.Array(Schema.Struct({ field: Schema.String, code: Schema.String, message: Schema.String })),
  requestId: Schema.NullOr(Schema.String)
}) {}
