import { Context, Effect, Layer } from "effect"
import { type HttpBody, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { type ApiClient, makeClient } from "../../src/client/PennypressClient.ts"
import { BASE_URL, TestClient } from "./TestClient.ts"

/** Returns a body for a client of tests: a value for JSON, and any other text as it is. */
const sentBody = ({ body, contentType }: HttpBody.Uint8Array): unknown => {
  const text = new TextDecoder().decode(body)
  return contentType === "application/json" ? JSON.parse(text) : text
}

/** Sends a request of a client to the routes under test. */
const sendTo = Effect.fnUntraced(function* (
  routes: TestClient["Service"],
  request: HttpClientRequest.HttpClientRequest,
  url: URL
) {
  const { body, headers, method } = request
  const answer = yield* routes.send(method, `${url.pathname}${url.search}`, {
    headers,
    ...(body._tag === "Uint8Array" ? { body: sentBody(body) } : {})
  })
  const { headers: answered, status, text } = answer
  return HttpClientResponse.fromWeb(request, new Response(text, { status, headers: answered }))
})

/** Sends the requests of a client to the routes under test. */
export const throughRoutes = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(TestClient, (routes) => HttpClient.make((request, url) => sendTo(routes, request, url)))
)

/** The assembly that a call goes to, and its token. */
interface Caller {
  readonly routes: TestClient["Service"]
  readonly token: string | undefined
}

const Caller = Context.Reference<Caller | undefined>("pennypress/test/support/Caller", {
  defaultValue: () => undefined
})

const throughCaller = HttpClient.make((request, url) =>
  Effect.flatMap(Caller, (caller) => {
    if (caller === undefined) return Effect.die(new Error("Only an actor sends with the derived client"))
    const { routes, token } = caller
    return sendTo(routes, token === undefined ? request : HttpClientRequest.bearerToken(request, token), url)
  })
)

/** Making a client takes some 20 ms, so all actors of a worker share one. */
const derivedClient = Effect.runSync(
  Effect.cached(
    Effect.provideService(makeClient({ baseUrl: BASE_URL }), HttpClient.HttpClient, throughCaller)
  )
)

/**
 * Returns a function that calls the derived client with this token, for requests that must succeed: a refusal fails the
 * test.
 */
export const succeeding = Effect.fnUntraced(function* (token?: string) {
  const routes = yield* TestClient
  const client: ApiClient = yield* derivedClient
  return <A, E>(call: (client: ApiClient) => Effect.Effect<A, E>): Effect.Effect<A> =>
    Effect.provideService(Effect.orDie(call(client)), Caller, { routes, token })
})
