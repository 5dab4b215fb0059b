import { ByteSize, Context, Effect } from "effect"
import { Headers, HttpIncomingMessage, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { BodyBytesMax, BodyValuesMax } from "../../../schemas/platform/BodyBytesMax.ts"
import { exceededBound } from "../../../schemas/platform/jsonBounds.ts"
import { inTurn } from "./longBody.ts"

/** Reasons why a body is refused before it is decoded. */
export type BodyRefusal = "too-large" | "not-utf8" | "too-deep" | "too-many-values"

/** Defect that replaces the text of a refused body; the family middleware answers it. */
export class BodyRefused extends Error {
  readonly reason: BodyRefusal
  /** The most members and elements that the operation reads. */
  readonly valuesMax: number
  constructor(reason: BodyRefusal, valuesMax: number) {
    super(`The body is refused: ${reason}`)
    this.reason = reason
    this.valuesMax = valuesMax
  }
}

/** Bounds of the body of an operation. */
interface BodyBounds {
  readonly bytesMax: number
  readonly valuesMax: number
}

const refuse = (reason: BodyRefusal, { valuesMax }: BodyBounds) =>
  Effect.die(new BodyRefused(reason, valuesMax))

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decode = (bytes: Uint8Array, bounds: BodyBounds) => {
  const exceeded = exceededBound(bytes, { valuesMax: bounds.valuesMax })
  if (exceeded !== undefined) return refuse(exceeded === "levels" ? "too-deep" : "too-many-values", bounds)
  try {
    return Effect.succeed(utf8.decode(bytes))
  } catch {
    return refuse("not-utf8", bounds)
  }
}

/** Returns the text of a body within its bounds. An absent body is `{}`: the decoder then names the members it misses. */
const textOf = (request: HttpServerRequest.HttpServerRequest, bounds: BodyBounds) =>
  Effect.suspend(() => {
    if (Number(request.headers["content-length"] ?? 0) > bounds.bytesMax) return refuse("too-large", bounds)
    return Effect.flatMap(request.arrayBuffer, (buffer) => {
      if (buffer.byteLength === 0) return Effect.succeed("{}")
      return inTurn(
        buffer.byteLength,
        Effect.suspend(() => decode(new Uint8Array(buffer), bounds))
      )
    })
  })

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

/** Media type that RFC 9110 (8.3) assumes for a body without one; operations do not read it. */
const UNKNOWN_TYPE = "application/octet-stream"

const hasBody = (headers: Headers.Headers) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/**
 * Returns the media type that the framework looks up among those of the operation. An empty body has none, even with
 * a header.
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
 * Bounds the JSON body of an operation: its size before and during reading, its encoding, and its numbers of values and
 * levels. Operations without a JSON body are left as they are.
 */
export const withJsonBody = (endpoint: HttpApiEndpoint.Top) => {
  if (!readsJson(endpoint)) return <E, R>(answer: Answer<E, R>): Answer<E, R> => answer
  const bytesMax = Context.get(endpoint.annotations, BodyBytesMax)
  const valuesMax = Context.get(endpoint.annotations, BodyValuesMax)
  const bounds = Context.make(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytesMax))

  return <E, R>(answer: Answer<E, R>): Answer<E, R> =>
    Effect.withFiber((fiber) => {
      const sent = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const headers = Headers.set(sent.headers, "content-type", contentTypeOf(sent.headers))
      const request = sent.modify({ headers })
      Object.defineProperty(request, "text", { value: textOf(request, { bytesMax, valuesMax }) })
      return Effect.provideContext(
        answer,
        Context.add(bounds, HttpServerRequest.HttpServerRequest, request)
      ) as Answer<E, R>
    })
}
