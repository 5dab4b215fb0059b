import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { makeServiceClient, onBehalfOf } from "../../src/client/ServiceClient.ts"

const baseUrl = "https://press.test"

/** A service that answers every request with this status, and notes the headers that it was sent. */
const answering = (status: number, sent: Array<Readonly<Record<string, string>>> = [], body = "{}") =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.sync(() => {
        sent.push(request.headers)
        return HttpClientResponse.fromWeb(request, new Response(body, { status }))
      })
    )
  )

const clientOf = (service: Layer.Layer<HttpClient.HttpClient>) =>
  Effect.provide(makeServiceClient({ baseUrl, token: Redacted.make("the token") }), service)

describe("the client of another service", () => {
  for (const [status, tag] of [
    [401, "NotAdministrator"],
    [413, "PayloadTooLarge"],
    [503, "Unavailable"],
    [404, "RpcClientError"],
    [500, "RpcClientError"]
  ] as const) {
    it.effect(`An answer of ${status} fails with ${tag}`, () =>
      Effect.gen(function* () {
        const client = yield* clientOf(answering(status))
        assert.strictEqual((yield* Effect.flip(client["discovery.categories"]()))._tag, tag)
      })
    )
  }

  it.effect("The service's own words are passed on", () =>
    Effect.gen(function* () {
      const detail = "The answers have more than 16777216 bytes together"
      const client = yield* clientOf(answering(413, [], JSON.stringify({ type: "about:blank", detail })))
      const error = yield* Effect.flip(client["discovery.categories"]())
      assert.strictEqual(error._tag === "PayloadTooLarge" ? error.detail : undefined, detail)
    })
  )

  it.effect("A key is sent only with the calls that it is for", () =>
    Effect.gen(function* () {
      const sent: Array<Readonly<Record<string, string>>> = []
      const client = yield* clientOf(answering(500, sent))
      const call = Effect.flip(client["profile.read"]())
      yield* call
      yield* onBehalfOf(Redacted.make("one"))(call)
      yield* Effect.all([onBehalfOf(Redacted.make("two"))(call), onBehalfOf(Redacted.make("three"))(call)], {
        concurrency: 2
      })
      yield* call
      assert.deepStrictEqual(
        sent.map((headers) => headers["x-api-key"]),
        [undefined, "one", "two", "three", undefined]
      )
      for (const headers of sent) assert.strictEqual(headers["authorization"], "Bearer the token")
    })
  )
})
