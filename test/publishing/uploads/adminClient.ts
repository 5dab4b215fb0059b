import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { makeAdminClient } from "../../../src/client/AdminClient.ts"
import { BASE_URL, Wire } from "../../support/Wire.ts"

/** What tests start a service with that has administrators. */
export const ADMIN_TOKEN = "an-admin-token-of-at-least-32-characters"

/** Calls the routes under test as if they were over there. */
const wireClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(Wire, (wire) =>
    HttpClient.make((request, url) =>
      Effect.gen(function* () {
        const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
        const answer = yield* wire.send(request.method, url.pathname, { headers: request.headers, body })
        return HttpClientResponse.fromWeb(request, new Response(answer.text, { status: answer.status }))
      })
    )
  )
)

/** The procedures of an administrator over the wire, with this token. */
export const administrator = (token: string = ADMIN_TOKEN) =>
  Effect.provide(makeAdminClient({ baseUrl: BASE_URL, token: Redacted.make(token) }), wireClient)
