import { HttpServerResponse } from "effect/http"
import type { JsonText } from "../sql/JsonText.ts"

/** Answers an operation with JSON that the database made. */
export const privateJson = (
  json: JsonText<unknown>,
  options: { readonly status?: number; readonly replayed?: boolean } = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(json.text, {
    status: options.status ?? 200,
    contentType: "application/json",
    headers: options.replayed === true ? { "x-idempotency-replay": "true" } : {}
  })
