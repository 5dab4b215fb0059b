import { Context, Effect, Layer } from "effect"
import { type HttpBody, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { type ApiClient, makeClient } from "../../src/client/PennypressClient.ts"
import { BASE_URL, TestClient } from "./TestClient.ts"

/** Returns a body for a client of tests: a value for JSON, and any other text as it is. */
const sentBody = ({ body, contentType }: HttpBody.Uint8Array): unknown => {
  const text = new TextDecoder().decode(body)
  return contentType === "application/json" ? JSON.parse(text) : text
}

/** Sends the requests of a client to the routes under test. */
export const throughRoutes = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(TestClient, (client) =>
    HttpClient.make((request, url) =>
      Effect.gen(function* () {
        const { body, headers, method } = request
        const answer = yield* client.send(method, `${url.pathname}${url.search}`, {
          headers,
          ...(body._tag === "Uint8Array" ? { body: sentBody(body) } : {})
        })
        const { headers: answered, status, text } = answer
        return HttpClientResponse.fromWeb(request, new Response(text, { status, headers: answered }))
      })
    )
  )
)

const Credential = Context.Reference<string | undefined>("pennypress/test/support/Credential", {
  defaultValue: () => undefined
})

const withCredential = HttpClient.mapRequestEffect((request) =>
  Effect.map(Credential, (token) =>
    token === undefined ? request : HttpClientRequest.bearerToken(request, token)
  )
)

/** Making a client takes some 20 ms, so all actors of an assembly share one. */
const clients = new WeakMap<TestClient["Service"], ApiClient>()

const derivedClient = Effect.gen(function* () {
  const routes = yield* TestClient
  const known = clients.get(routes)
  if (known !== undefined) return known
  const client = yield* makeClient({ baseUrl: BASE_URL, transform: withCredential }).pipe(
    Effect.provide(throughRoutes)
  )
  clients.set(routes, client)
  return client
})

/**
 * Returns a function that calls the derived client with this credential, for requests that must succeed: a refusal fails
 * the test.
 */
export const succeeding = (credential?: string) =>
  Effect.map(
    derivedClient,
    (client) =>
      <A, E>(call: (client: ApiClient) => Effect.Effect<A, E>): Effect.Effect<A> =>
        Effect.provideService(Effect.orDie(call(client)), Credential, credential)
  )
