import { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { FieldError } from "../../../../schemas/platform/errors/FieldError.ts"
import { type Marker, markerOf } from "./markers.ts"

/** Members of a failure that do not follow from its code. */
export interface Circumstances {
  readonly nextStep?: string
  readonly operationId?: string
  readonly retryAfterSeconds?: number
  readonly fields?: ReadonlyArray<FieldError>
  readonly requestId?: string | null
}

/** Makes a failure of a code, which may be one of the API that has no marker. */
export const failureOfCode = (code: string, more: Circumstances = {}): ToolFailure => {
  const { message, nextStep, retryable = false } = markerOf(code)
  return new ToolFailure({
    code,
    message,
    retryable,
    retryAfterSeconds: more.retryAfterSeconds ?? null,
    nextStep: more.nextStep ?? nextStep,
    operationId: more.operationId ?? null,
    fields: more.fields ?? [],
    requestId: more.requestId ?? null
  })
}

/** Makes a failure with the fixed sentence of its code. */
export const marked = (code: Marker, more?: Circumstances): ToolFailure => failureOfCode(code, more)

/** Returns a failure that names its operation, by which it can be inspected and resumed. */
export const ofOperation = (failure: ToolFailure, operationId: string): ToolFailure =>
  new ToolFailure({ ...failure, message: failure.message, operationId })
