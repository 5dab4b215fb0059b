import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import { type ApiClient, makeClient } from "../../../client/PennypressClient.ts"
import { Origin } from "./Origin.ts"
import { pinned, pinnedDownloads, pinnedUploads } from "./pinned.ts"
import { FirstWaitMillis } from "./retries.ts"

const Acting = Context.Reference<Redacted.Redacted | undefined>(
  "pennypress/mcp/local/service/ServiceApi/Acting",
  {
    defaultValue: () => undefined
  }
)

/** Sends this secret as the Bearer of the calls within. Without one, calls are anonymous. */
export const actingWith =
  (credential: Redacted.Redacted) =>
  <A, E, R>(calls: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(calls, Acting, credential)

const withCredential = (client: HttpClient.HttpClient) =>
  HttpClient.mapRequestEffect(client, (request) =>
    Effect.map(Acting, (credential) =>
      credential === undefined ? request : HttpClientRequest.bearerToken(request, Redacted.value(credential))
    )
  )

/**
 * The service, as the local edition calls it: the pinned origin and nothing else. The errors of its calls are those of the
 * contract; `toFailure` gives them the form of tools.
 */
export class ServiceApi extends Context.Service<
  ServiceApi,
  {
    readonly origin: string
    /** The operations, each by its group and name. */
    readonly client: ApiClient
    /** Uploads of files. Answers are whole, and nothing is sent twice. */
    readonly uploads: HttpClient.HttpClient
    /** Downloads of files, whose bytes are streams within a scope. */
    readonly downloads: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>
  }
>()("pennypress/mcp/local/service/ServiceApi") {
  static readonly layer = Layer.effect(
    ServiceApi,
    Effect.gen(function* () {
      const origin = yield* Origin
      const http = yield* HttpClient.HttpClient
      const firstWait = yield* FirstWaitMillis
      const client = yield* makeClient({
        baseUrl: origin,
        transform: (inner) => pinned(origin, firstWait)(withCredential(inner))
      })
      const own = withCredential(http)
      return ServiceApi.of({
        origin,
        client,
        uploads: pinnedUploads(origin)(own),
        downloads: pinnedDownloads(origin, firstWait)(own)
      })
    })
  )
}
