import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { RpcClient, RpcClientError, RpcMiddleware, RpcSerialization } from "effect/rpc"
import { AdministratorRpcs } from "../../schemas/AdministratorRpcs.ts"
import { Administrator, NotAdministrator } from "../../schemas/platform/security/administrator.ts"

export interface AdminClientOptions {
  /** Origin of the service, such as `https://pennypress.example`. */
  readonly baseUrl: string
  /** The `ADMIN_TOKEN` of the service. */
  readonly token: Redacted.Redacted
}

const isUnauthorized = (error: unknown) =>
  error instanceof RpcClientError.RpcClientError &&
  error.reason._tag === "HttpError" &&
  error.reason.cause instanceof HttpClientError.StatusCodeError &&
  error.reason.cause.response.status === 401

/** Fails a call with `NotAdministrator` when the service refuses the token of its request. */
const refusals = RpcMiddleware.layerClient(Administrator, ({ next, request }) =>
  Effect.mapError(next(request), (error) => (isUnauthorized(error) ? new NotAdministrator() : error))
)

/** Makes a client with one method for each administrator procedure, for the time of the scope. Needs an `HttpClient`. */
export const makeAdminClient = ({ baseUrl, token }: AdminClientOptions) =>
  Effect.flatMap(
    Layer.build(
      RpcClient.layerProtocolHttp({
        url: `${baseUrl}/rpc`,
        // The protocol appends a slash to its URL, and the service's paths are exact.
        transformClient: HttpClient.mapRequest((request) =>
          request.pipe(
            HttpClientRequest.setUrl(`${baseUrl}/rpc`),
            HttpClientRequest.bearerToken(Redacted.value(token))
          )
        )
      }).pipe(Layer.merge(refusals))
    ).pipe(
      // Any other status than 2xx is an error, which tells a refused token from a broken answer.
      Effect.updateService(HttpClient.HttpClient, HttpClient.filterStatusOk)
    ),
    (context) => Effect.provideContext(RpcClient.make(AdministratorRpcs), context)
  ).pipe(Effect.provide(RpcSerialization.layerNdjson))
