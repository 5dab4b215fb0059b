import { Effect, Stream } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"

/** Number of body bytes handed to a client at a time. */
const PIECE_BYTES = 64 * 1024

const piecesOf = (bytes: Uint8Array) =>
  Array.from({ length: Math.ceil(bytes.byteLength / PIECE_BYTES) }, (_, i) =>
    bytes.subarray(i * PIECE_BYTES, (i + 1) * PIECE_BYTES)
  )

const streamed = (response: HttpServerResponse.HttpServerResponse) => {
  const { body } = response
  if (body._tag !== "Uint8Array") return response
  const pieces = Stream.fromIterable(piecesOf(body.body), { chunkSize: 1 })
  return HttpServerResponse.setBody(response, HttpBody.stream(pieces, body.contentType, body.contentLength))
}

/**
 * Returns a middleware for a route that always answers the same large response. The response is encoded once, and each
 * client takes pieces of the one buffer at its own pace.
 */
export const sharedBody = () => {
  let shared: { readonly from: unknown; readonly response: HttpServerResponse.HttpServerResponse } | undefined
  return <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.map(answer, (response) => {
      if (shared?.from !== response) shared = { from: response, response: streamed(response) }
      return shared.response
    })
}
