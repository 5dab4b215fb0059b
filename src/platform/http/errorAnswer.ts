import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import {
  AccountDeleted,
  InternalError,
  MalformedRequest,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType
} from "../../../schemas/platform/errors/common.ts"
import { inJson } from "../../../schemas/platform/errors/inJson.ts"
import { inProblems } from "../../../schemas/platform/errors/inProblems.ts"

/** Form of the errors of a path (spec 7.1, 7.2). */
export type Family = "problem" | "json"

/** The errors that the service answers outside the operations of the contract. */
const asProblem = Schema.Union([
  inProblems(MalformedRequest, "malformed-request"),
  inProblems(Unauthorized, "invalid-credential"),
  inProblems(NotFound, "not-found"),
  inProblems(AccountDeleted, "account-deleted"),
  inProblems(MethodNotAllowed, "method-not-allowed"),
  inProblems(PayloadTooLarge, "payload-too-large"),
  inProblems(UnsupportedMediaType, "unsupported-media-type"),
  inProblems(RateLimited, "rate-limited"),
  inProblems(InternalError, "internal-error"),
  inProblems(Unavailable, "dependency-unavailable")
])

const asJson = Schema.Union([
  inJson(NotFound, "not_found"),
  inJson(MethodNotAllowed, "method_not_allowed"),
  inJson(UnsupportedMediaType, "unsupported_media_type"),
  inJson(RateLimited, "rate_limited"),
  inJson(InternalError, "internal_error"),
  inJson(Unavailable, "dependency_unavailable")
])

const encodeProblem = Schema.encodeEffect(asProblem)
const encodeJson = Schema.encodeEffect(asJson)

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>
type Headers = Readonly<Record<string, string>>

const answered = (status: number, contentType: string, body: object, headers: Headers) =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType, headers })

/** Answers an error outside the operations of the contract with the same problem as inside them. */
export const problemAnswer = (error: typeof asProblem.Type, headers: Headers = {}): Answer =>
  encodeProblem(error).pipe(
    Effect.map((body) => answered(body.status, "application/problem+json", body, headers)),
    Effect.orDie
  )

/** Answers an error outside the operations of the contract in the family of its path. */
export const errorAnswer = (error: typeof asJson.Type, family: Family, headers: Headers = {}): Answer =>
  family === "problem"
    ? problemAnswer(error, headers)
    : encodeJson(error).pipe(
        Effect.map((body) => answered(body.statusCode, "application/json", body, headers)),
        Effect.orDie
      )
