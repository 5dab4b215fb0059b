import { ByteSize, Context, Effect, Layer } from "effect"
import {
  HttpIncomingMessage,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { type SqlClient } from "effect/sql"
import { routes } from "../../src/app.ts"
import { BASE_URL, service } from "../support/Wire.ts"

export interface EdgeRequest {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent byte for byte; nothing is added to the headers for it. */
  readonly body?: string | Uint8Array
}

export interface EdgeAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed text of a JSON answer, else null. */
  readonly body: any
}

/** The routes as `Wire` mounts them, with requests as they are given and nothing checked: for what no client sends. */
export class Edge extends Context.Service<
  Edge,
  { readonly send: (method: string, path: string, request?: EdgeRequest) => Effect.Effect<EdgeAnswer> }
>()("pennypress/test/http/Edge") {
  static readonly layer = Layer.effect(
    Edge,
    Effect.gen(function* () {
      const app = yield* HttpRouter.toHttpEffect(routes)
      const context = yield* Effect.context<never>()
      return Edge.of({
        send: Effect.fnUntraced(function* (method, path, { body, headers = {} } = {}) {
          const request = new Request(`${BASE_URL}${path}`, {
            method,
            headers,
            ...(body === undefined
              ? {}
              : { body: typeof body === "string" ? Buffer.from(body) : Buffer.from(body) })
          })
          const answered = yield* app.pipe(
            Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request)),
            Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.mebibytes(1)),
            Effect.scoped,
            Effect.orDie
          )
          const response = HttpServerResponse.toWeb(answered, { withoutBody: method === "HEAD", context })
          const text = yield* Effect.promise(() => response.text())
          const isJson = /^application\/(problem\+)?json/.test(response.headers.get("content-type") ?? "")
          const parsed = isJson && text !== "" ? JSON.parse(text) : null
          return { status: response.status, headers: response.headers, text, body: parsed }
        })
      })
    })
  )
}

/** `service` of the wire, and its routes once more without the checks; `instead` replaces services of the domain. */
export const edge = <E, I = never>(
  database: Layer.Layer<SqlClient.SqlClient, E>,
  instead: Layer.Layer<I> = Layer.empty as unknown as Layer.Layer<I>
) =>
  Edge.layer.pipe(
    Layer.provideMerge(instead),
    Layer.provideMerge(service(database)),
    Layer.provide(HttpServer.layerServices)
  )
