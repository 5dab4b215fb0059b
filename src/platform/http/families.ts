import { Cause, Effect, Layer } from "effect"
import { Headers, HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import {
  InternalError,
  InternalProblem,
  JsonFamily,
  MalformedJson,
  MalformedJsonProblem,
  PayloadTooLarge,
  PayloadTooLargeProblem,
  ProblemFamily,
  Unavailable,
  UnavailableProblem,
  UnsupportedMediaType,
  UnsupportedMediaTypeProblem,
  Validation,
  ValidationProblem
} from "../../../schemas/platform/errors/families.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { unavailableDependency } from "../sql/unavailable.ts"
import { fieldErrorsOf } from "./fieldErrors.ts"

/** An answer of ours that its contract does not allow. */
const isUnencodable = (error: unknown): error is HttpApiError.HttpApiSchemaError =>
  HttpApiError.HttpApiSchemaError.is(error) && (error.kind === "Body" || error.kind === "ResponseHeaders")

/** A request that does not decode. */
const isInvalidRequest = (error: unknown): error is HttpApiError.HttpApiSchemaError =>
  HttpApiError.HttpApiSchemaError.is(error) && !isUnencodable(error)

// A body that is no JSON is the one issue of a payload without a schema at its root.
const isMalformedJson = (error: HttpApiError.HttpApiSchemaError) =>
  error.kind === "Payload" &&
  error.cause.issue._tag === "InvalidValue" &&
  error.cause.issue.annotations?.message === "Expected a valid JSON body"

/** Header names are written as specifications write them: `Idempotency-Key`. */
const headerName = (name: string) => name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())

const fieldErrors = (error: HttpApiError.HttpApiSchemaError): ReadonlyArray<FieldError> => {
  const errors = fieldErrorsOf(error.cause.issue)
  if (error.kind !== "Headers") return errors
  return errors.map(({ code, field, message }) => ({ field: headerName(field), code, message }))
}

/** Why a body was not read to its end: it is too large, or its sender stopped; undefined for any other defect. */
const unreadBody = (defect: unknown) => {
  if (!HttpServerError.isHttpServerError(defect) || defect.reason._tag !== "RequestParseError")
    return undefined
  return defect.reason.reason === "BodyTooLarge" ? "too large" : "broken off"
}

/** The line of the log about a request that was answered 503. */
export const logUnavailable = (dependency: string, cause: Cause.Cause<unknown>) =>
  Effect.annotateLogs(Effect.logWarning("A dependency is unavailable", cause), { dependency })

const hasBody = (headers: Headers.Headers) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/**
 * A body without a content type is not taken for JSON, as the framework takes it. It is named what RFC 9110 (8.3) lets
 * it be assumed to be, which no operation reads.
 */
const withContentType = <A, E, R>(answer: Effect.Effect<A, E, R>) =>
  Effect.updateService(answer, HttpServerRequest.HttpServerRequest, (request) =>
    request.headers["content-type"] !== undefined || !hasBody(request.headers)
      ? request
      : request.modify({ headers: Headers.set(request.headers, "content-type", "application/octet-stream") })
  )

const rescue =
  <Malformed, TooLarge, MediaType, Invalid, Unavailable, Internal>(answers: {
    readonly malformed: () => Malformed
    readonly tooLarge: () => TooLarge
    readonly mediaType: () => MediaType
    readonly invalid: (errors: ReadonlyArray<FieldError>) => Invalid
    readonly unavailable: () => Unavailable
    readonly internal: () => Internal
  }) =>
  <E, R>(effect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    withContentType(effect).pipe(
      // Handlers never answer 415; the framework does, as text, to a content type that no payload declares.
      Effect.filterOrFail(({ status }) => status !== 415, answers.mediaType),
      Effect.catch(
        Effect.fnUntraced(function* (error) {
          if (!isInvalidRequest(error)) {
            return yield* isUnencodable(error) ? Effect.die(error) : Effect.fail(error)
          }
          if (isMalformedJson(error)) return yield* Effect.fail(answers.malformed())
          return yield* Effect.fail(answers.invalid(fieldErrors(error)))
        })
      ),
      Effect.catchDefect(
        Effect.fnUntraced(function* (defect) {
          const unread = unreadBody(defect)
          if (unread === "too large") return yield* Effect.fail(answers.tooLarge())
          // Nobody waits for this answer; it is no failure of ours either.
          if (unread === "broken off") return yield* Effect.fail(answers.malformed())
          const dependency = unavailableDependency(defect)
          if (dependency !== undefined) {
            yield* logUnavailable(dependency, Cause.die(defect))
            return yield* Effect.fail(answers.unavailable())
          }
          // The answer says nothing of it, so this is the one place it is seen.
          yield* Effect.logError("A request died", Cause.die(defect))
          return yield* Effect.fail(answers.internal())
        })
      )
    )

export const FamiliesLive = Layer.mergeAll(
  Layer.succeed(
    ProblemFamily,
    rescue({
      malformed: () => new MalformedJsonProblem({}),
      tooLarge: () => new PayloadTooLargeProblem({}),
      mediaType: () => new UnsupportedMediaTypeProblem({}),
      invalid: (errors) => new ValidationProblem({ errors }),
      unavailable: () => new UnavailableProblem({}),
      internal: () => new InternalProblem({})
    })
  ),
  Layer.succeed(
    JsonFamily,
    rescue({
      malformed: () => new MalformedJson(),
      tooLarge: () => new PayloadTooLarge(),
      mediaType: () => new UnsupportedMediaType(),
      invalid: (errors) => new Validation({ data: { errors } }),
      unavailable: () => new Unavailable(),
      internal: () => new InternalError()
    })
  )
)
