import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { UploadsRpcs } from "../../schemas/publishing/uploads/rpc.ts"

export interface AdminClientOptions {
  /** Where the service is, such as `https://pennypress.example`. */
  readonly baseUrl: string
  /** The `ADMIN_TOKEN` of the service. */
  readonly token: Redacted.Redacted
}

/** One method for every procedure of an administrator, as long as the scope lasts; needs an `HttpClient`. */
export const makeAdminClient = ({ baseUrl, token }: AdminClientOptions) =>
  Effect.flatMap(
    Layer.build(
      RpcClient.layerProtocolHttp({
        url: `${baseUrl}/rpc`,
        transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(Redacted.value(token)))
      })
    ),
    (protocol) => Effect.provideContext(RpcClient.make(UploadsRpcs), protocol)
  ).pipe(Effect.provide(RpcSerialization.layerNdjson))
