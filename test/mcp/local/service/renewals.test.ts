import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as StateStoreCrashing from "../../../../layers/testing/StateStoreCrashing.ts"
import { BASE_URL } from "../../../support/TestClient.ts"
import { asIdentity } from "../asIdentity.ts"
import { edition, serviceBehindWire, toolsOf } from "../localEdition.ts"
import { rowsOf, secretOf } from "../stateFile.ts"
import { type Sent, Wire } from "../Wire.ts"

const isRefresh = ({ path }: Sent) => path === "/api/v1/auth/refresh"

/** Runs an effect while the clock of the test goes on, for processes that wait for each other. */
const whileTimePasses = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    effect,
    Effect.forever(
      Effect.andThen(TestClock.withLive(Effect.sleep("5 millis")), TestClock.adjust("200 millis"))
    )
  )

const tokensOf = (directory: string) => ({
  access: secretOf(directory, "access-token"),
  refresh: secretOf(directory, "refresh-token")
})

layer(serviceBehindWire("test_mcp_local_renewals"))("a session that is renewed", (it) => {
  it.effect("A session survives the process that renews it", () =>
    asIdentity("human", "renewing_one", (_, directory) =>
      Effect.gen(function* () {
        const wire = yield* Wire
        // Access tokens live for 15 minutes.
        yield* TestClock.adjust("15 minutes")
        let isOver = false
        const life = { act: () => undefined, isOver: () => isOver }
        const store = StateStoreCrashing.layer({ directory, origin: BASE_URL }, life)
        wire.trouble = (request) => {
          if (!isRefresh(request)) return undefined
          isOver = true
          return "lost"
        }
        const dying = Effect.flatMap(toolsOf, ({ call }) => call("svc_notifications"))
        yield* dying.pipe(Effect.scoped, Effect.provide(edition(directory, BASE_URL, store)), Effect.exit)
        assert.isTrue(isOver)
        wire.trouble = () => undefined
        const next = yield* Layer.build(edition(directory))
        const { call } = yield* toolsOf.pipe(Effect.provideContext(next))
        const { isError, text } = yield* whileTimePasses(call("svc_notifications"))
        assert.isFalse(isError, text)
      })
    )
  )

  it.effect("A renewal does not end another session that was opened meanwhile", () =>
    asIdentity("human", "renewing_two", ({ call }, directory) =>
      Effect.gen(function* () {
        const wire = yield* Wire
        const opened = tokensOf(directory)
        const save = (name: string, value: string) =>
          rowsOf(directory, "update credentials set value = ?, expires_at = null where name = ?", value, name)
        save("refresh-token", "one that has ended")
        save("access-token", "one that has ended")
        wire.trouble = (request) => {
          if (!isRefresh(request)) return undefined
          save("refresh-token", opened.refresh)
          save("access-token", opened.access)
          return undefined
        }
        const { isError, text } = yield* call("svc_notifications")
        assert.isFalse(isError, text)
        assert.deepStrictEqual(tokensOf(directory), opened)
      })
    )
  )
})
