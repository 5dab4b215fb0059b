import { Context, Layer, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "../../schemas/Api.ts"

export interface ClientOptions {
  /** Where the service is, such as `https://pennypress.example`. */
  readonly baseUrl: string
  /** An access token or a Publishing key, sent as a Bearer; none for public reads and sign-in. */
  readonly credential?: Redacted.Redacted | undefined
  /** Changes every request and answer, to retry or to log them. */
  readonly transform?: ((client: HttpClient.HttpClient) => HttpClient.HttpClient) | undefined
}

/** One method for every operation of the contract; a refusal fails with the class that the contract declares for it. */
export const makeClient = ({ baseUrl, credential, transform = (client) => client }: ClientOptions) =>
  HttpApiClient.make(Api, {
    baseUrl,
    transformClient: (client) =>
      transform(
        credential === undefined
          ? client
          : HttpClient.mapRequest(client, HttpClientRequest.bearerToken(Redacted.value(credential)))
      )
  })

/** The service as its callers see it, derived from the contract. */
export class PennypressClient extends Context.Service<PennypressClient, HttpApiClient.ForApi<typeof Api>>()(
  "pennypress/client/PennypressClient"
) {
  /** Over whatever `HttpClient` it is given. */
  static readonly layer = (options: ClientOptions) => Layer.effect(PennypressClient, makeClient(options))
}
