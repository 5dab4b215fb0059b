import { Context, Effect, Layer } from "effect"
import { type SqlClient } from "effect/sql"
import { BASE_URL, service } from "../../support/TestClient.ts"
import { webApp, type WebAnswer } from "../../support/webApp.ts"

export interface RawRequest {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent byte for byte; nothing is added to the headers for it. */
  readonly body?: string | Uint8Array
  /** The address of the connection; unknown when absent. */
  readonly from?: string
}

export type RawAnswer = WebAnswer

/** Routes as `TestClient` mounts them, without checks of requests and answers: for requests that no client sends. */
export class RawClient extends Context.Service<
  RawClient,
  { readonly send: (method: string, path: string, request?: RawRequest) => Effect.Effect<RawAnswer> }
>()("pennypress/test/platform/http/RawClient") {
  static readonly layer = Layer.effect(
    RawClient,
    Effect.gen(function* () {
      const answer = yield* webApp
      return RawClient.of({
        send: (method, path, { body, from, headers = {} } = {}) =>
          answer(
            new Request(`${BASE_URL}${path}`, {
              method,
              headers,
              ...(body === undefined ? {} : { body: Buffer.from(body) })
            }),
            from
          )
      })
    })
  )
}

/** The service over a database. The compiler cannot write down all that it provides, so the type is derived. */
type Served<E> = ReturnType<typeof service<E>>

/**
 * Provides `service`, and its routes once more without the checks. `instead` replaces services of the
 * domain.
 */
export const rawClient = <E, I = never>(
  database: Layer.Layer<SqlClient.SqlClient, E>,
  instead: Layer.Layer<I> = Layer.empty as unknown as Layer.Layer<I>
): Layer.Layer<RawClient | I | Layer.Success<Served<E>>, Layer.Error<Served<E>>> =>
  RawClient.layer.pipe(Layer.provideMerge(instead), Layer.provideMerge(service(database)))
