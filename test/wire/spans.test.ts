import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { recordedSpans } from "../support/recordedSpans.ts"
import { started } from "./server.ts"
import { get } from "./sockets.ts"

const TOKEN = "the-token-of-a-confirmation-link"

describe("spans", () => {
  it.live("Spans of requests hold no confirmation link", () =>
    Effect.gen(function* () {
      const { layer, spans } = recordedSpans()
      yield* Effect.gen(function* () {
        const { origin } = yield* started("test_wire_spans")
        assert.strictEqual((yield* get(`${origin}/api/categories?seen=yes`)).status, 200)
        const link = `${origin}/auth/v1/verify?token=${TOKEN}&type=email_change`
        assert.strictEqual((yield* get(link)).status, 404)
      }).pipe(Effect.provide(layer))
      const exported = spans.map((span) => JSON.stringify([span.name, [...span.attributes]])).join("\n")
      assert.include(exported, "seen=yes")
      assert.notInclude(exported, TOKEN)
    })
  )
})
