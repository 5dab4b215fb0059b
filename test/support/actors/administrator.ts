import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { makeAdminClient } from "../../../src/client/AdminClient.ts"
import { BASE_URL, TestClient } from "../TestClient.ts"

/** The administrator token that tests configure the service with. */
export const ADMIN_TOKEN = "an-admin-token-of-at-least-32-characters"

/** Sends the client's requests to the routes under test. */
export const throughRoutes = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(TestClient, (client) =>
    HttpClient.make((request, url) =>
      Effect.gen(function* () {
        const { body, headers, method } = request
        const answer = yield* client.send(method, `${url.pathname}${url.search}`, {
          headers,
          ...(body._tag === "Uint8Array" ? { body: new TextDecoder().decode(body.body) } : {})
        })
        const { headers: answered, status, text } = answer
        return HttpClientResponse.fromWeb(request, new Response(text, { status, headers: answered }))
      })
    )
  )
)

/** Calls the procedures of an administrator over the wire, with this token. */
export const administrator = (token: string = ADMIN_TOKEN) =>
  Effect.provide(makeAdminClient({ baseUrl: BASE_URL, token: Redacted.make(token) }), throughRoutes)
