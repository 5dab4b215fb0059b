import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

/** Error of either family. Its class is its schema, and knows its status. */
interface FamilyError {
  readonly constructor: unknown
  readonly status?: number
  readonly statusCode?: number
}

/**
 * Answers an error outside the operations of the contract in the form that it has inside them. A class of the problem
 * family has `status`, one of the JSON family `statusCode`.
 */
export const errorAnswer = Effect.fnUntraced(function* (
  error: FamilyError,
  headers: Readonly<Record<string, string>> = {}
) {
  const body = yield* Schema.encodeUnknownEffect(error.constructor as Schema.Codec<unknown>)(error)
  const isProblem = error.status !== undefined
  return HttpServerResponse.text(JSON.stringify(body), {
    status: error.status ?? error.statusCode ?? 500,
    contentType: isProblem ? "application/problem+json" : "application/json",
    headers
  })
}, Effect.orDie)
