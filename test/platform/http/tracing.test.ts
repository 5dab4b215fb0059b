import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpMiddleware, HttpServerRequest, HttpServerResponse } from "effect/http"
import { tracing } from "../../../src/platform/http/tracing.ts"
import { recordedSpans } from "../../support/recordedSpans.ts"

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

layer(tracing)("the traces of requests", (it) => {
  it.effect("A request with a token in its path is not traced, and no other with the value of a token", () =>
    Effect.gen(function* () {
      const { layer: recorded, spans } = recordedSpans()
      const send = (path: string) =>
        HttpMiddleware.tracer(Effect.succeed(HttpServerResponse.empty())).pipe(
          Effect.provideService(
            HttpServerRequest.HttpServerRequest,
            HttpServerRequest.fromWeb(new Request(`https://press.test${path}`))
          ),
          Effect.provide(recorded)
        )
      const secret = `ppf_${DIGITS}`
      for (const path of [
        `/feeds/following/${secret}.xml`,
        `//feeds/${secret}`,
        `/x/${secret}?y`,
        "/subscriptions/confirm/sealed",
        "/subscriptions/end/sealed/all"
      ])
        yield* send(path)
      assert.lengthOf(spans, 0)
      yield* send(`/unsubscribe?token=${secret.slice(4)}`)
      yield* send("/@ppf_writes/on-pennies")
      assert.lengthOf(spans, 2)
      for (const { attributes } of spans) assert.notInclude(JSON.stringify([...attributes]), DIGITS)
    })
  )
})
