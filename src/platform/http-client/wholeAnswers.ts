import { Effect, type Scope, Stream } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { isTooDeep } from "../../../schemas/platform/jsonBounds.ts"

type Response = HttpClientResponse.HttpClientResponse

const isEmptyBody = ({ reason }: HttpClientError.HttpClientError) => reason._tag === "EmptyBodyError"

const isJson = ({ headers }: Response) => /[/+]json\b/i.test(headers["content-type"] ?? "")

/**
 * Reads the whole body of an answer. A larger one and JSON of too many levels are not accepted, and one that breaks off
 * counts as a lost connection.
 */
export const wholeAnswer = (bytesMax: number) =>
  Effect.fnUntraced(function* (response: Response) {
    const { request } = response
    const refused = (description: string) =>
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.DecodeError({ request, response, description })
      })
    const tooLarge = refused("The answer is too large")
    const parts: Array<Uint8Array<ArrayBuffer>> = []
    let size = 0
    yield* Stream.runForEach(response.stream, (part) => {
      size += part.length
      if (size > bytesMax) return Effect.fail(tooLarge)
      parts.push(new Uint8Array(part))
      return Effect.void
    }).pipe(
      // An answer without a body has no stream to read.
      Effect.catchIf(isEmptyBody, () => Effect.void),
      Effect.mapError((error) =>
        error === tooLarge
          ? error
          : new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, cause: error })
            })
      )
    )
    const isEmpty = response.status === 204 || response.status === 304
    const headers = new Headers(Object.entries(response.headers))
    const body = Buffer.concat(parts)
    if (isJson(response) && isTooDeep(body)) return yield* refused("The answer has too many levels")
    return HttpClientResponse.fromWeb(
      request,
      new Response(isEmpty ? null : body, { status: response.status, headers })
    )
  })

type Lasting = Effect.Effect<Response, HttpClientError.HttpClientError, Scope.Scope>

/**
 * Returns a client that reads answers of at most this many bytes into memory. The connection of a larger or unwanted
 * answer is closed at once. `bounded` bounds the time until the headers.
 */
export const wholeAnswers =
  (
    bytesMax: number,
    bounded: (answer: Lasting, request: HttpClientRequest.HttpClientRequest) => Lasting = (answer) => answer
  ) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient => {
    const { postprocess } = HttpClient.withScope(client)
    const whole = (request: HttpClientRequest.HttpClientRequest) =>
      bounded(postprocess(Effect.succeed(request)), request).pipe(
        Effect.flatMap(wholeAnswer(bytesMax)),
        Effect.scoped
      )
    return HttpClient.makeWith((request) => Effect.flatMap(request, whole), client.preprocess)
  }
