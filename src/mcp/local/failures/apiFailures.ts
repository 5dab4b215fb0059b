import { Effect, Schema } from "effect"
import { HttpClientError, type HttpClientResponse } from "effect/http"
import { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { FieldError } from "../../../../schemas/platform/errors/FieldError.ts"
import { named } from "./argumentNames.ts"
import { failureOfCode, marked } from "./marked.ts"
import type { Marker } from "./markers.ts"

/** Errors of the contract whose marker is not their own name. */
const MARKERS: Readonly<Record<string, Marker>> = {
  InternalError: "internal",
  InvalidChallenge: "challenge-refused",
  InvalidCode: "code-refused",
  InvalidMembers: "validation",
  LedgerAway: "service-unavailable",
  MalformedRevision: "validation",
  SessionExpired: "reconnect-required",
  Unauthorized: "credential-invalid",
  Unavailable: "service-unavailable",
  UploadFailed: "internal",
  UploadUnavailable: "service-unavailable"
}

const kebab = (tag: string) =>
  tag.replace(/[A-Z]/g, (letter, index) => `${index === 0 ? "" : "-"}${letter.toLowerCase()}`)

/** The members that errors of the contract have. */
const Described = Schema.Struct({
  _tag: Schema.String,
  errors: Schema.optionalKey(Schema.Array(FieldError)),
  retryAfterSeconds: Schema.optionalKey(Schema.Int)
})

const isDescribed = Schema.is(Described)

/**
 * Returns the marker of a status that the contract does not declare for the operation. A 404 is then that of a proxy,
 * and says nothing about the effect of an earlier request.
 */
export const markerOfStatus = (status: number): Marker => {
  if (status >= 300 && status < 400) return "origin-mismatch"
  if (status === 401) return "credential-invalid"
  if (status === 429) return "rate-limited"
  if (status === 408 || status === 425 || status === 502 || status === 503 || status === 504) {
    return "service-unavailable"
  }
  return status >= 500 ? "internal" : "response-invalid"
}

/** Returns the facts about a failure in the headers of an answer. */
export const circumstancesOf = ({ headers }: HttpClientResponse.HttpClientResponse) => {
  const seconds = Number(headers["retry-after"])
  return {
    requestId: headers["x-request-id"] ?? null,
    ...(Number.isInteger(seconds) ? { retryAfterSeconds: seconds } : {})
  }
}

/** Returns true for a status that proxies also answer, with pages of their own. */
const isOfProxies = (status: number) => status >= 500 || status === 408 || status === 425 || status === 429

const ofTransport = ({ reason }: HttpClientError.HttpClientError): ToolFailure => {
  switch (reason._tag) {
    case "InvalidUrlError":
      return marked("origin-mismatch")
    case "StatusCodeError":
      return marked(markerOfStatus(reason.response.status), circumstancesOf(reason.response))
    case "DecodeError":
    case "EmptyBodyError": {
      const { status } = reason.response
      const marker = isOfProxies(status) ? markerOfStatus(status) : "response-invalid"
      return marked(marker, circumstancesOf(reason.response))
    }
    default:
      return marked("service-unavailable")
  }
}

/** Returns the failure that a tool or a command reports for any error of a call to the service. */
export const failureOf = (error: unknown): ToolFailure => {
  if (error instanceof ToolFailure) return error
  if (HttpClientError.isHttpClientError(error)) return ofTransport(error)
  if (Schema.isSchemaError(error)) return marked("response-invalid")
  if (isDescribed(error)) {
    return failureOfCode(MARKERS[error._tag] ?? kebab(error._tag), {
      ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
      fields: (error.errors ?? []).map(named)
    })
  }
  return marked("internal")
}

/** Codes after which a request may have taken effect, or may take effect by a repeat. All others are final. */
const UNSETTLED: ReadonlySet<string> = new Set<Marker | "comment-not-reloaded" | "idempotency-in-progress">([
  "comment-not-reloaded",
  "credential-invalid",
  "idempotency-in-progress",
  "intent-in-progress",
  "internal",
  "origin-mismatch",
  "outcome-unknown",
  "rate-limited",
  "reconnect-required",
  "response-invalid",
  "service-unavailable",
  "state-unavailable",
  "wallet-block-pending",
  "wallet-block-refused"
])

/** Returns true for the failure of a write that was refused for good, so that it will never take effect. */
export const isRefusal = ({ code }: ToolFailure): boolean => !UNSETTLED.has(code)

/** Turns the errors of a call to the service into failures of tools. */
export const toFailure = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, ToolFailure, R> =>
  Effect.mapError(call, failureOf)
