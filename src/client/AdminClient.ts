import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { AdministratorRpcs } from "../../schemas/AdministratorRpcs.ts"

export interface AdminClientOptions {
  /** Origin of the service, such as `https://pennypress.example`. */
  readonly baseUrl: string
  /** The `ADMIN_TOKEN` of the service. */
  readonly token: Redacted.Redacted
}

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
      })
    ),
    (protocol) => Effect.provideContext(RpcClient.make(AdministratorRpcs), protocol)
  ).pipe(Effect.provide(RpcSerialization.layerNdjson))
