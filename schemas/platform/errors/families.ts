import { Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { FieldError } from "./FieldError.ts"
import { JsonError } from "./JsonError.ts"
import { Problem } from "./Problem.ts"

// Errors that every operation of a family can answer, independent of its handler.
// An endpoint lists only the errors that are its own.

export class MalformedJsonProblem extends Problem<MalformedJsonProblem>()(
  "MalformedJsonProblem",
  "malformed-json"
) {}
/** The request is not valid HTTP. The server answers this error outside the operations. */
export class MalformedRequest extends Problem<MalformedRequest>()("MalformedRequest", "malformed-request") {}
export class PayloadTooLargeProblem extends Problem<PayloadTooLargeProblem>()(
  "PayloadTooLargeProblem",
  "payload-too-large"
) {}
export class UnsupportedMediaTypeProblem extends Problem<UnsupportedMediaTypeProblem>()(
  "UnsupportedMediaTypeProblem",
  "unsupported-media-type"
) {}
/** `errors` names every offending member, never only the first. */
export class ValidationProblem extends Problem<ValidationProblem>()("ValidationProblem", "validation") {}
/** The seconds are those of the Retry-After header. */
export class RateLimitedProblem extends Problem<RateLimitedProblem>()("RateLimitedProblem", "rate-limited", {
  retryAfterSeconds: Schema.Int
}) {}
export class InternalProblem extends Problem<InternalProblem>()("InternalProblem", "internal-error") {}
export class UnavailableProblem extends Problem<UnavailableProblem>()(
  "UnavailableProblem",
  "dependency-unavailable"
) {}

export class MalformedJson extends JsonError<MalformedJson>()("MalformedJson", {
  code: "malformed_json",
  status: 400,
  message: "Send the body as JSON in UTF-8: the service cannot parse this one"
}) {}
export class PayloadTooLarge extends JsonError<PayloadTooLarge>()("PayloadTooLarge", {
  code: "payload_too_large",
  status: 413,
  message: "Send a smaller body: the documentation of the operation states the limit"
}) {}
export class UnsupportedMediaType extends JsonError<UnsupportedMediaType>()("UnsupportedMediaType", {
  code: "unsupported_media_type",
  status: 415,
  message: "Send the body as application/json in UTF-8"
}) {}
/** `data.errors` names every offending member, never only the first. */
export class Validation extends JsonError<Validation>()(
  "Validation",
  { code: "validation", status: 422, message: "Correct the members that errors names" },
  { errors: Schema.Array(FieldError) }
) {}
/** `data.retryAfter` is in seconds, as the Retry-After header. */
export class RateLimited extends JsonError<RateLimited>()(
  "RateLimited",
  {
    code: "rate_limited",
    status: 429,
    message: "Too many requests: repeat this one after the seconds in Retry-After"
  },
  { retryAfter: Schema.Int }
) {}
export class InternalError extends JsonError<InternalError>()("InternalError", {
  code: "internal_error",
  status: 500,
  message: "Something failed in the service: repeat the request later, or ask for help with the X-Request-Id"
}) {}
export class Unavailable extends JsonError<Unavailable>()("Unavailable", {
  code: "dependency_unavailable",
  status: 503,
  message:
    "A dependency is unavailable: repeat the request with the same key or token after Retry-After seconds"
}) {}

/**
 * Answers in the problem family for failures outside a handler: undecodable requests, exhausted limits, defects and an
 * unavailable database. A group adds it last, so that it is outermost.
 */
export class ProblemFamily extends HttpApiMiddleware.Service<ProblemFamily>()(
  "pennypress/schemas/platform/errors/ProblemFamily",
  {
    error: [
      MalformedJsonProblem,
      PayloadTooLargeProblem,
      UnsupportedMediaTypeProblem,
      ValidationProblem,
      RateLimitedProblem,
      InternalProblem,
      UnavailableProblem
    ]
  }
) {}

/** Answers the same failures in the ordinary JSON family. */
export class JsonFamily extends HttpApiMiddleware.Service<JsonFamily>()(
  "pennypress/schemas/platform/errors/JsonFamily",
  {
    error: [
      MalformedJson,
      PayloadTooLarge,
      UnsupportedMediaType,
      Validation,
      RateLimited,
      InternalError,
      Unavailable
    ]
  }
) {}
