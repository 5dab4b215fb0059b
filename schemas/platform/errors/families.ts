import { HttpApiMiddleware } from "effect/http-api"
import {
  InternalError,
  MalformedJson,
  PayloadTooLarge,
  RateLimited,
  Unavailable,
  UnsupportedMediaType,
  Validation
} from "./common.ts"
import { inJson } from "./inJson.ts"
import { inProblems } from "./inProblems.ts"

// Errors that every operation of a family can answer, independent of its handler.
// An endpoint lists only the errors that are its own.

/**
 * Answers in the problem family for failures outside a handler: undecodable requests, exhausted limits, defects and an
 * unavailable database. A group adds it last, so that it is outermost.
 */
export class ProblemFamily extends HttpApiMiddleware.Service<ProblemFamily>()(
  "pennypress/schemas/platform/errors/ProblemFamily",
  {
    error: [
      inProblems(MalformedJson, "malformed-json"),
      inProblems(PayloadTooLarge, "payload-too-large"),
      inProblems(UnsupportedMediaType, "unsupported-media-type"),
      inProblems(Validation, "validation"),
      inProblems(RateLimited, "rate-limited"),
      inProblems(InternalError, "internal-error"),
      inProblems(Unavailable, "dependency-unavailable")
    ]
  }
) {}

/** Answers the same failures in the ordinary JSON family. */
export class JsonFamily extends HttpApiMiddleware.Service<JsonFamily>()(
  "pennypress/schemas/platform/errors/JsonFamily",
  {
    error: [
      inJson(MalformedJson, "malformed_json"),
      inJson(PayloadTooLarge, "payload_too_large"),
      inJson(UnsupportedMediaType, "unsupported_media_type"),
      inJson(Validation, "validation"),
      inJson(RateLimited, "rate_limited"),
      inJson(InternalError, "internal_error"),
      inJson(Unavailable, "dependency_unavailable")
    ]
  }
) {}
