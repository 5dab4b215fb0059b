import { Schema } from "effect"
import { UUID } from "../../platform/Ids.ts"

/** The caller's own name of a write: the same id with the same arguments has one effect. */
export const IntentId = Schema.String.check(
  Schema.isPattern(UUID, { expected: "a UUID", toJsonSchema: () => ({ format: "uuid" }) })
)

/** The write behind a result. `replayed` is true when an earlier call did it. */
export const OperationStatus = Schema.Struct({
  operationId: Schema.String,
  phase: Schema.String,
  replayed: Schema.Boolean
})
export type OperationStatus = typeof OperationStatus.Type
