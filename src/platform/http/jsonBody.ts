import { ByteSize, Context, Effect } from "effect"
import { Headers, HttpIncomingMessage, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { BodyBytesMax } from "../../../schemas/platform/BodyBytesMax.ts"

/** Maximum number of members and elements in a JSON body, several times that of the largest operation. */
export const VALUES_MAX = 500

/** Reasons why a body is refused before it is decoded. */
export type BodyRefusal = "too-large" | "not-utf8" | "too-many-values"

/** Defect that replaces the text of a refused body; the family middleware answers it. */
export class BodyRefused extends Error {
  readonly reason: BodyRefusal
  constructor(reason: BodyRefusal) {
    super(`The body is refused: ${reason}`)
    this.reason = reason
  }
}

const refuse = (reason: BodyRefusal) => Effect.die(new BodyRefused(reason))

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c

/** Returns the index of the quote that ends a text; `from` is the index after the one that begins it. */
const endOfText = (json: Uint8Array, from: number) => {
  for (let quote = json.indexOf(QUOTE, from); quote !== -1; quote = json.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0
    while (json[quote - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return quote
  }
  return json.length
}

/**
 * Returns true for more than {@link VALUES_MAX} values: counts the commas between them, and stops early. A body of a million
 * values takes no longer than one of 500. Texts, which are most of a long body, are skipped.
 */
export const hasTooManyValues = (json: Uint8Array) => {
  if (json.length < 2 * VALUES_MAX) return false
  let values = 1
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]
    if (byte === QUOTE) i = endOfText(json, i + 1)
    else if (byte === COMMA && ++values > VALUES_MAX) return true
  }
  return false
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decode = (bytes: Uint8Array) => {
  try {
    return Effect.succeed(utf8.decode(bytes))
  } catch {
    return refuse("not-utf8")
  }
}

/** Returns the text of a body within its bounds. An absent body is `{}`: the decoder then names the members it misses. */
const textOf = (request: HttpServerRequest.HttpServerRequest, bytesMax: number) =>
  Effect.suspend(() => {
    if (Number(request.headers["content-length"] ?? 0) > bytesMax) return refuse("too-large")
    return Effect.flatMap(request.arrayBuffer, (buffer) => {
      if (buffer.byteLength === 0) return Effect.succeed("{}")
      const bytes = new Uint8Array(buffer)
      return hasTooManyValues(bytes) ? refuse("too-many-values") : decode(bytes)
    })
  })

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

/** Media type that RFC 9110 (8.3) assumes for a body without one; operations do not read it. */
const UNKNOWN_TYPE = "application/octet-stream"

const hasBody = (headers: Headers.Headers) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/**
 * Returns the media type that the framework looks up among those of the operation. An empty body has none, whatever its
 * header says.
 */
const contentTypeOf = (headers: Headers.Headers) => {
  if (!hasBody(headers)) return "application/json"
  const type = headers["content-type"] ?? UNKNOWN_TYPE
  const charset = CHARSET.exec(type)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset) ? type : UNKNOWN_TYPE
}

const readsJson = ({ payload }: HttpApiEndpoint.Top) =>
  [...payload.values()].some(({ encoding }) => encoding._tag === "Json")

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/**
 * Bounds the JSON body of an operation: its size before and during reading, its encoding and its number of values.
 * Operations without a JSON body are left as they are.
 */
export const withJsonBody = (endpoint: HttpApiEndpoint.Top) => {
  if (!readsJson(endpoint)) return <E, R>(answer: Answer<E, R>): Answer<E, R> => answer
  const bytesMax = Context.get(endpoint.annotations, BodyBytesMax)
  const bounds = Context.make(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytesMax))

  return <E, R>(answer: Answer<E, R>): Answer<E, R> =>
    Effect.withFiber((fiber) => {
      const sent = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const headers = Headers.set(sent.headers, "content-type", contentTypeOf(sent.headers))
      const request = sent.modify({ headers })
      Object.defineProperty(request, "text", { value: textOf(request, bytesMax) })
      return Effect.provideContext(
        answer,
        Context.add(bounds, HttpServerRequest.HttpServerRequest, request)
      ) as Answer<E, R>
    })
}
