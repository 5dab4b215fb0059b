import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { RpcClient, RpcClientError, RpcSerialization } from "effect/rpc"

export interface RpcClientOptions {
  /** Origin of the service, such as `https://pennypress.example`. */
  readonly baseUrl: string
  /** The `ADMIN_TOKEN` of the service. */
  readonly token: Redacted.Redacted
}

type Transform = <E, R>(client: HttpClient.HttpClient.With<E, R>) => HttpClient.HttpClient.With<E, R>

/** Makes a client of `/rpc` until the scope closes, with the token of the service. Needs an `HttpClient`. */
export const connected =
  ({ baseUrl, token }: RpcClientOptions, transform: Transform = (client) => client) =>
  <A, E, R>(client: Effect.Effect<A, E, R>) =>
    RpcClient.layerProtocolHttp({
      url: `${baseUrl}/rpc`,
      transformClient: (http) =>
        // The protocol appends a slash to its URL, and the service's paths are exact.
        HttpClient.mapRequest(transform(http), (request) =>
          request.pipe(
            HttpClientRequest.setUrl(`${baseUrl}/rpc`),
            HttpClientRequest.bearerToken(Redacted.value(token))
          )
        )
    }).pipe(
      Layer.build,
      // Any status other than 2xx is an error, which distinguishes a refused token from a broken answer.
      Effect.updateService(HttpClient.HttpClient, HttpClient.filterStatusOk),
      Effect.provide(RpcSerialization.layerNdjson),
      Effect.flatMap((context) => Effect.provideContext(client, context))
    )

/** Returns the HTTP answer that refused a request with calls, or undefined for any other error. */
export const refusalOf = (error: unknown): HttpClientResponse.HttpClientResponse | undefined =>
  error instanceof RpcClientError.RpcClientError &&
  error.reason._tag === "HttpError" &&
  error.reason.cause instanceof HttpClientError.StatusCodeError
    ? error.reason.cause.response
    : undefined

/** Returns the innermost reason of an error, such as `connect ECONNREFUSED 127.0.0.1:4020`. */
const innermost = (error: unknown): string => {
  if (!(error instanceof Error)) return ""
  const { cause, message } = error
  // Node tries each address of a name, and keeps the errors in a list.
  const next = cause ?? (error instanceof AggregateError ? error.errors[0] : undefined)
  return innermost(next) || message
}

/** Gives the error of a connection a message with the address and the reason, which the library leaves empty. */
export const explained = <E>(error: E): E => {
  if (error instanceof RpcClientError.RpcClientError && error.reason._tag === "HttpError") {
    const { cause } = error.reason
    const about = cause instanceof Error ? cause.message : ""
    const inner = innermost(cause)
    const message = inner === about ? about : `${about}: ${inner}`
    Object.defineProperty(error.reason, "message", { value: message, configurable: true })
  }
  return error
}

const Problem = Schema.Struct({ detail: Schema.String })

/** Returns the `detail` of the problem that refused a request, or no member if the answer has none. */
export const detailOf = (error: unknown): Effect.Effect<{ readonly detail?: string }> =>
  Effect.suspend(() => {
    const refusal = refusalOf(error)
    return refusal === undefined ? Effect.succeed({}) : HttpClientResponse.schemaBodyJson(Problem)(refusal)
  }).pipe(Effect.orElseSucceed(() => ({})))
