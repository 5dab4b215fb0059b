import { ByteSize, Effect, Option } from "effect"
import {
  Headers,
  HttpEffect,
  HttpIncomingMessage,
  HttpMiddleware,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { SMALL_BODY_BYTES_MAX } from "../../schemas/platform/BodyBytesMax.ts"
import { routes } from "../../src/app.ts"

/** The answer to a request without a socket. */
export interface WebAnswer {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly text: string
  /** The body as bytes; absent from clients that read only text. */
  readonly bytes?: Uint8Array
  /** The parsed body of a JSON answer, else null. The derived client gives typed values of what succeeds. */
  readonly body: any
}

/**
 * Sends requests through every route of the service, on the fiber and the clock of the test. `from` is the address of the
 * connection.
 */
export const webApp = Effect.gen(function* () {
  const app = yield* HttpRouter.toHttpEffect(routes)
  const context = yield* Effect.context<never>()

  return Effect.fnUntraced(function* (request: Request, from?: string) {
    const sent = HttpServerRequest.fromWeb(request)
    const received = sent.modify({
      remoteAddress: Option.fromNullishOr(from),
      // As a socket has it for a body of unknown length.
      ...(request.body === null ? {} : { headers: Headers.set(sent.headers, "transfer-encoding", "chunked") })
    })
    let response = new Response()
    yield* HttpEffect.toHandled(app, (_, answered) =>
      Effect.sync(() => {
        response = HttpServerResponse.toWeb(answered, { withoutBody: request.method === "HEAD", context })
      })
    ).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, received),
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(SMALL_BODY_BYTES_MAX)),
      Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => true)
    )
    const bytes = new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
    const text = new TextDecoder().decode(bytes)
    const isJson = /^application\/(problem\+)?json/.test(response.headers.get("content-type") ?? "")
    const body = isJson && text !== "" ? JSON.parse(text) : null
    return { status: response.status, headers: response.headers, bytes, text, body } satisfies WebAnswer
  })
})
