import { Effect, Option, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiError, HttpApiSchema } from "effect/http-api"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { type FieldErrors, fieldErrorsOf, together } from "../../../schemas/platform/errors/fieldErrors.ts"
import { jsonMistakeIn } from "./jsonMistake.ts"

type SchemaError = HttpApiError.HttpApiSchemaError

/** Returns true for an answer of ours that its contract does not allow. */
export const isUnencodable = (error: unknown): error is SchemaError =>
  HttpApiError.HttpApiSchemaError.is(error) && (error.kind === "Body" || error.kind === "ResponseHeaders")

/** Returns true for a request that does not decode. */
export const isInvalidRequest = (error: unknown): error is SchemaError =>
  HttpApiError.HttpApiSchemaError.is(error) && !isUnencodable(error)

/** Returns true for a body that is not JSON. Only such a body causes a payload issue without a schema at its root. */
export const isMalformedJson = (error: SchemaError): boolean =>
  error.kind === "Payload" &&
  error.cause.issue._tag === "InvalidValue" &&
  error.cause.issue.annotations?.message === "Expected a valid JSON body"

/** Says where the body stops being JSON. */
export const mistakeInBody = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const mistake = jsonMistakeIn(yield* Effect.orDie(request.text))
  return `Send the body as JSON. ${mistake ?? "The service cannot parse this one"}`
})

const wholes = {
  Params: "path",
  Headers: "headers",
  Query: "query",
  Payload: "body",
  Body: "body",
  ResponseHeaders: "headers"
} as const

type Decode = (input: unknown) => Effect.Effect<unknown, Schema.SchemaError>

const decoderOf = (schema: Schema.Top | undefined, isStrict: boolean): Decode | undefined =>
  schema === undefined
    ? undefined
    : Schema.decodeUnknownEffect(schema as Schema.Codec<unknown>, {
        errors: "all",
        onExcessProperty: isStrict ? "error" : "ignore"
      })

const wrongType: FieldErrors = {
  errors: [{ field: "Content-Type", code: "invalid", message: "Send application/json in UTF-8" }],
  unlisted: 0
}

const malformed = (message: string): FieldErrors => ({
  errors: [{ field: "body", code: "invalid", message } satisfies FieldError],
  unlisted: 0
})

/**
 * Returns the function that lists all errors of a request of an operation. The framework reads the path, the headers, the
 * query and the body in this order, and stops at the first part that is wrong.
 */
export const requestErrorsOf = (endpoint: HttpApiEndpoint.Top) => {
  const json = [...endpoint.payload.values()].find(({ encoding }) => encoding._tag === "Json")
  const isEmpty = json === undefined || json.schemas.every(({ ast }) => HttpApiSchema.isNoContent(ast))
  const headers = decoderOf(endpoint.headers, false)
  const query = decoderOf(
    endpoint.query === undefined ? undefined : Schema.toCodecArrayFromSingle(endpoint.query),
    true
  )
  const body = isEmpty ? undefined : decoderOf(Schema.Union(json.schemas), true)

  const errorsIn = (
    whole: "headers" | "query" | "body",
    decode: Decode | undefined,
    input: unknown
  ): Effect.Effect<ReadonlyArray<FieldErrors>> =>
    decode === undefined
      ? Effect.succeed([])
      : Effect.match(decode(input), {
          onSuccess: () => [],
          onFailure: ({ issue }) => [fieldErrorsOf(issue, whole)]
        })

  const errorsInBody = Effect.gen(function* () {
    if (body === undefined) return []
    const request = yield* HttpServerRequest.HttpServerRequest
    const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase()
    if (type !== "application/json") return [wrongType]
    const text = yield* Effect.orDie(request.text)
    const value = Option.liftThrowable(JSON.parse)(text)
    if (Option.isNone(value)) return [malformed(yield* mistakeInBody)]
    return yield* errorsIn("body", body, value.value)
  })

  /** Parts that the framework has not read, from an error in one on. */
  const unreadAfter = Effect.fnUntraced(function* (kind: SchemaError["kind"]) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const parameters = yield* HttpServerRequest.ParsedSearchParams
    const isBefore = (...kinds: ReadonlyArray<SchemaError["kind"]>) => kinds.includes(kind)
    return [
      ...(isBefore("Params") ? yield* errorsIn("headers", headers, request.headers) : []),
      ...(isBefore("Params", "Headers") ? yield* errorsIn("query", query, parameters) : []),
      ...(isBefore("Params", "Headers", "Query") ? yield* errorsInBody : [])
    ]
  })

  return Effect.fnUntraced(function* ({ cause, kind }: SchemaError) {
    const first = fieldErrorsOf(cause.issue, wholes[kind])
    // Reads without a body have one part that can be wrong, or parameters of campaigns that are not.
    return body === undefined ? first : together([first, ...(yield* unreadAfter(kind))])
  })
}
