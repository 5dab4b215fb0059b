import { Context, type Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "../../schemas/Api.ts"

export interface ClientOptions {
  /** Origin of the service, such as `https://pennypress.example`. */
  readonly baseUrl: string
  /** An access token or a Publishing key, sent as a Bearer token; omitted for public reads and sign-in. */
  readonly credential?: Redacted.Redacted | undefined
  /** Transforms the HTTP client, to retry or log requests. */
  readonly transform?: ((client: HttpClient.HttpClient) => HttpClient.HttpClient) | undefined
}

/** The methods of a client: `client.posts.create` calls the operation `create` of the group `posts`. */
export interface ApiClient extends HttpApiClient.ForApi<typeof Api> {}

/** Makes a client with one method for each operation. A refusal fails with the error class that the contract declares. */
export const makeClient = ({
  baseUrl,
  credential,
  transform = (client) => client
}: ClientOptions): Effect.Effect<ApiClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    baseUrl,
    transformClient: (client) =>
      transform(
        credential === undefined
          ? client
          : HttpClient.mapRequest(client, HttpClientRequest.bearerToken(Redacted.value(credential)))
      )
  })

/** The client of the HTTP API, derived from the contract. */
export class PennypressClient extends Context.Service<PennypressClient, ApiClient>()(
  "pennypress/client/PennypressClient"
) {
  /** Sends with the `HttpClient` of the context. */
  static readonly layer = (options: ClientOptions) => Layer.effect(PennypressClient, makeClient(options))
}
