import { HttpServerResponse } from "effect/http"
import type { Coding } from "../ports/AnswerBytes.ts"
import type { PublicAnswer } from "../public-answers/AnswerStore.ts"
import { codingFor } from "./accept.ts"

/** Number of bytes from which compression saves a client more than it costs. */
const COMPRESSED_BYTES_MIN = 1_024

/** Headers of a request, by their names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Status, headers and body of an answer to one client. */
export interface Representation {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/** An answer, as far as it is sent. */
export type Sendable = Pick<PublicAnswer, "body" | "contentType" | "digest" | "headers" | "isWeak">

/** The answer to an owner who sends a credential is private to its caller. */
export const PRIVATE = { vary: "Authorization", "cache-control": "private, no-store" }

/** Reads are compared weakly (RFC 9110, 13.1.2). */
const opaque = (etag: string) => etag.replace(/^W\//, "")

/** Returns true when an If-None-Match header names this ETag. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" ||
    ifNoneMatch.split(",").some((candidate) => opaque(candidate.trim()) === opaque(etag)))

/** Returns the coding in which this client gets this answer; undefined for the bytes as they are. */
export const codingOf = ({ body }: Sendable, headers: RequestHeaders): Coding | undefined =>
  body.byteLength < COMPRESSED_BYTES_MIN ? undefined : codingFor(headers["accept-encoding"])

const etagOf = ({ digest, isWeak }: Sendable, coding: Coding | undefined) => {
  if (isWeak) return `W/"${digest}"`
  return coding === undefined ? `"${digest}"` : `"${digest}-${coding}"`
}

/**
 * Returns true when the client already has the answer in this coding, so that it need not be made. Only an ETag says so: an
 * answer changes with what it lists, such as a withdrawn Post or a new follow, and no date of a Post tells that.
 */
export const isKnownAs = (answer: Sendable, headers: RequestHeaders, coding: Coding | undefined) =>
  isKnown(headers["if-none-match"], etagOf(answer, coding))

/** Represents an answer for a client that gets it in this coding: `bytes` are the body in that coding (spec 4.6.8). */
export const representationOf = (
  answer: Sendable,
  headers: RequestHeaders,
  { bytes, coding }: { readonly bytes: Uint8Array; readonly coding: Coding | undefined },
  caching: Readonly<Record<string, string>> = {}
): Representation => {
  const common: Record<string, string> = { etag: etagOf(answer, coding), ...answer.headers, ...caching }
  if (isKnownAs(answer, headers, coding)) return { status: 304, headers: common, body: undefined }
  common["content-type"] = answer.contentType
  common["content-length"] = String(bytes.byteLength)
  if (coding !== undefined) common["content-encoding"] = coding
  return { status: 200, headers: common, body: bytes }
}

/** Returns the routed response of a representation. */
export const responseOf = ({
  body,
  headers,
  status
}: Representation): HttpServerResponse.HttpServerResponse =>
  body === undefined
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.uint8Array(body, { status, headers })
