import { Effect, Layer } from "effect"
import { HttpServerError, type HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import {
  InvalidMembers,
  MalformedJson,
  PayloadTooLarge,
  UnsupportedMediaType
} from "../../../schemas/platform/errors/common.ts"
import { JsonFamily, ProblemFamily } from "../../../schemas/platform/errors/families.ts"
import { LinkQuery } from "../../../schemas/platform/errors/linkQuery.ts"
import { StrictMembers } from "../../../schemas/platform/errors/strictMembers.ts"
import { summaryOf } from "../../../schemas/platform/errors/summary.ts"
import { JSON_LEVELS_MAX, JSON_VALUES_MAX } from "../../../schemas/platform/jsonBounds.ts"
import { hideDefect } from "./defects.ts"
import { type FieldErrors, fieldErrorsOf, validationOf } from "./fieldErrors.ts"
import { BodyRefused, withJsonBody } from "./jsonBody.ts"
import { readLinkQuery } from "./linkQuery.ts"

/** Returns true for an answer of ours that its contract does not allow. */
const isUnencodable = (error: unknown): error is HttpApiError.HttpApiSchemaError =>
  HttpApiError.HttpApiSchemaError.is(error) && (error.kind === "Body" || error.kind === "ResponseHeaders")

/** Returns true for a request that does not decode. */
const isInvalidRequest = (error: unknown): error is HttpApiError.HttpApiSchemaError =>
  HttpApiError.HttpApiSchemaError.is(error) && !isUnencodable(error)

// Only a body that is not JSON causes a payload issue without a schema at its root.
const isMalformedJson = (error: HttpApiError.HttpApiSchemaError) =>
  error.kind === "Payload" &&
  error.cause.issue._tag === "InvalidValue" &&
  error.cause.issue.annotations?.message === "Expected a valid JSON body"

/** Returns a header name as specifications write it: `Idempotency-Key`. */
const headerName = (name: string) => name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())

const wholes = { Params: "path", Headers: "headers", Query: "query", Payload: "body" } as const

const invalidRequest = ({ cause, kind }: HttpApiError.HttpApiSchemaError): FieldErrors => {
  const found = fieldErrorsOf(
    cause.issue,
    kind === "Body" || kind === "ResponseHeaders" ? "body" : wholes[kind]
  )
  if (kind !== "Headers") return found
  const errors = found.errors.map(({ code, field, message }) => ({ field: headerName(field), code, message }))
  return { ...found, errors }
}

const refusedBody = (code: string, message: string) =>
  validationOf({ errors: [{ field: "body", code, message }], unlisted: 0 })

const tooManyValues = refusedBody(
  "too_many",
  `Send at most ${JSON_VALUES_MAX} members and elements; this body has more`
)

const tooDeep = refusedBody(
  "too_deep",
  `Nest objects and arrays at most ${JSON_LEVELS_MAX} levels deep; this body has more`
)

/** Returns the reason why a body was not read, or undefined for any other defect. */
const unreadBody = (defect: unknown) => {
  if (defect instanceof BodyRefused) return defect.reason
  if (!HttpServerError.isHttpServerError(defect) || defect.reason._tag !== "RequestParseError")
    return undefined
  return defect.reason.reason === "BodyTooLarge" ? "too-large" : "broken-off"
}

/** Answers what the handlers of an operation leave unanswered. The operation's family gives the error its form. */
const rescue = <E, R>(
  effect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
) =>
  withJsonBody(endpoint)(effect).pipe(
    // Handlers never answer 415. The framework does, as text, for a content type that the payload does not declare.
    Effect.filterOrFail(
      ({ status }) => status !== 415,
      () => new UnsupportedMediaType()
    ),
    Effect.catch(
      Effect.fnUntraced(function* (error) {
        if (!isInvalidRequest(error)) {
          return yield* isUnencodable(error) ? Effect.die(error) : Effect.fail(error)
        }
        if (isMalformedJson(error)) return yield* new MalformedJson()
        return yield* validationOf(invalidRequest(error))
      })
    ),
    Effect.catchDefect(
      Effect.fnUntraced(function* (defect) {
        switch (unreadBody(defect)) {
          case "too-large":
            return yield* new PayloadTooLarge()
          case "too-many-values":
            return yield* tooManyValues
          case "too-deep":
            return yield* tooDeep
          case "not-utf8":
          // The sender of an interrupted body expects no answer, and the service has not failed.
          case "broken-off":
            return yield* new MalformedJson()
        }
        return yield* hideDefect(defect)
      })
    )
  )

/** Refuses wrong members of a body as a bad request. */
const refuseMembers = <E, R>(effect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.catch(
    effect,
    Effect.fnUntraced(function* (error) {
      if (!isInvalidRequest(error) || error.kind !== "Payload" || isMalformedJson(error))
        return yield* Effect.fail(error)
      const { errors, unlisted } = invalidRequest(error)
      return yield* new InvalidMembers({ errors, detail: summaryOf(errors, unlisted) })
    })
  )

/** Bounds the bodies of operations, and answers in their family what their handlers leave unanswered. */
export const layer = Layer.mergeAll(
  Layer.succeed(ProblemFamily, rescue),
  Layer.succeed(JsonFamily, rescue),
  Layer.succeed(StrictMembers, refuseMembers),
  Layer.succeed(LinkQuery, readLinkQuery)
)
