import { Effect, Layer } from "effect"
import { HttpServerError, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import {
  InvalidMembers,
  MalformedJson,
  PayloadTooLarge,
  UnsupportedMediaType
} from "../../../schemas/platform/errors/common.ts"
import { JsonFamily, ProblemFamily } from "../../../schemas/platform/errors/families.ts"
import { fieldErrorsOf, validationOf } from "../../../schemas/platform/errors/fieldErrors.ts"
import { LinkQuery } from "../../../schemas/platform/errors/linkQuery.ts"
import { StrictMembers } from "../../../schemas/platform/errors/strictMembers.ts"
import { summaryOf } from "../../../schemas/platform/errors/summary.ts"
import { JSON_LEVELS_MAX } from "../../../schemas/platform/jsonBounds.ts"
import { hideDefect } from "./defects.ts"
import { BodyRefused, withJsonBody } from "./jsonBody.ts"
import { readLinkQuery } from "./linkQuery.ts"
import {
  isInvalidRequest,
  isMalformedJson,
  isUnencodable,
  mistakeInBody,
  requestErrorsOf
} from "./requestErrors.ts"

const refusedBody = (code: string, message: string) =>
  validationOf({ errors: [{ field: "body", code, message }], unlisted: 0 })

const tooManyValues = (valuesMax: number) =>
  refusedBody("too_many", `Send at most ${valuesMax} members and elements; this body has more`)

const tooDeep = refusedBody(
  "too_deep",
  `Nest objects and arrays at most ${JSON_LEVELS_MAX} levels deep; this body has more`
)

/** Returns the reason why a body was not read, or undefined for any other defect. */
const unreadBody = (defect: unknown) => {
  if (defect instanceof BodyRefused) return defect.reason === "too-many-values" ? defect : defect.reason
  if (!HttpServerError.isHttpServerError(defect) || defect.reason._tag !== "RequestParseError")
    return undefined
  return defect.reason.reason === "BodyTooLarge" ? "too-large" : "broken-off"
}

const notUtf8 = new MalformedJson({ detail: "Send the body in UTF-8: it has bytes of another encoding" })

/** Answers what the handlers of an operation leave unanswered. The operation's family gives the error its form. */
const rescue = <E, R>(
  effect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
) => {
  const errorsOf = requestErrorsOf(endpoint)
  return effect.pipe(
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
        if (isMalformedJson(error)) return yield* new MalformedJson({ detail: yield* mistakeInBody })
        return yield* validationOf(yield* errorsOf(error))
      })
    ),
    Effect.catchDefect(
      Effect.fnUntraced(function* (defect) {
        const unread = unreadBody(defect)
        if (unread instanceof BodyRefused) return yield* tooManyValues(unread.valuesMax)
        switch (unread) {
          case "too-large":
            return yield* new PayloadTooLarge()
          case "too-deep":
            return yield* tooDeep
          case "not-utf8":
            return yield* notUtf8
          // The sender of an interrupted body expects no answer, and the service has not failed.
          case "broken-off":
            return yield* new MalformedJson()
        }
        return yield* hideDefect(defect)
      })
    ),
    withJsonBody(endpoint)
  )
}

/** Refuses wrong members of a body as a bad request. */
const refuseMembers = <E, R>(effect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.catch(
    effect,
    Effect.fnUntraced(function* (error) {
      if (!isInvalidRequest(error) || error.kind !== "Payload" || isMalformedJson(error))
        return yield* Effect.fail(error)
      const { errors, unlisted } = fieldErrorsOf(error.cause.issue, "body")
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
