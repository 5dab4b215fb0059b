import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as StateStoreCrashing from "../../../../layers/testing/StateStoreCrashing.ts"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { makeAlone } from "../../../../src/mcp/local/intents/alone.ts"
import { Intents } from "../../../../src/mcp/local/intents/Intents.ts"
import { makeOperation } from "../../../../src/mcp/local/intents/Operation.ts"
import { BASE_URL } from "../../../support/TestClient.ts"
import { asIdentity, failure } from "../asIdentity.ts"
import { edition, serviceBehindWire, toolsOf } from "../localEdition.ts"
import { Wire } from "../Wire.ts"

const INTENT = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

/** One process of the local edition over a directory. */
const processOn = (directory: string, store?: ReturnType<typeof StateStoreCrashing.layer>) =>
  Layer.build(edition(directory, BASE_URL, store))

const inProgress = (failed: ToolFailure) => {
  assert.deepInclude(failed, { code: "intent-in-progress", retryable: true })
  const { retryAfterSeconds } = failed
  assert.isTrue(retryAfterSeconds !== null && retryAfterSeconds >= 1 && retryAfterSeconds <= 5)
  return retryAfterSeconds ?? 0
}

layer(serviceBehindWire("test_mcp_local_leases"))("work that another process has", (it) => {
  it.effect("A killed process holds an intent for the seconds that the next one is told", () =>
    asIdentity("human", "author_leases", ({ call }, directory) =>
      Effect.gen(function* () {
        const wire = yield* Wire
        const { draft } = (yield* call("svc_create_draft", {
          title: "One",
          free_content_markdown: "A text."
        })).result
        let isOver = false
        const life = { act: () => undefined, isOver: () => isOver }
        wire.trouble = ({ method }) => {
          if (method !== "PATCH") return undefined
          isOver = true
          return "lost"
        }
        const change = {
          intent_id: INTENT,
          post_id: draft.id,
          revision: draft.revision,
          changes: { title: "Two" }
        }
        const dying = Effect.flatMap(toolsOf, (tools) => tools.call("svc_update_draft", change))
        const store = StateStoreCrashing.layer({ directory, origin: BASE_URL }, life)
        yield* dying.pipe(Effect.scoped, Effect.provide(edition(directory, BASE_URL, store)), Effect.exit)
        assert.isTrue(isOver)
        wire.trouble = () => undefined
        const next = yield* processOn(directory)
        const tools = yield* toolsOf.pipe(Effect.provideContext(next))
        const told = failure(yield* tools.call("svc_update_draft", change))
        assert.strictEqual(told.operationId, INTENT)
        assert.include(told.nextStep, "svc_operation")
        const seconds = inProgress(told)
        yield* TestClock.adjust(`${seconds} seconds`)
        const { result, text } = yield* tools.call("svc_update_draft", change)
        assert.strictEqual(result?.draft.title, "Two", text)
      })
    )
  )

  it.effect("A process that works for long keeps its work, and one that gives up frees it", () =>
    asIdentity("human", "author_alive", (_, directory) =>
      Effect.gen(function* () {
        const one = yield* processOn(directory)
        const other = yield* processOn(directory)
        const slow = makeOperation<null, { readonly done: boolean }>({
          tool: "slow",
          send: () => Effect.as(Effect.sleep("90 seconds"), { done: true })
        })
        const run = Effect.flatMap(Intents, (intents) => intents.run(slow, null, INTENT))
        const running = yield* Effect.forkChild(Effect.provideContext(run, one))
        const alone = Effect.flatMap(makeAlone("wallet"), (within) =>
          within(() => Effect.sleep("90 seconds"))
        )
        const working = yield* Effect.forkChild(Effect.provideContext(alone, one))
        for (let seconds = 0; seconds < 60; seconds++) {
          yield* TestClock.adjust("1 second")
          inProgress(yield* Effect.flip(Effect.provideContext(run, other)))
          inProgress(yield* Effect.flip(Effect.provideContext(alone, other)))
        }
        yield* Fiber.interrupt(working)
        const next = yield* Effect.forkChild(Effect.provideContext(alone, other))
        yield* TestClock.adjust("90 seconds")
        yield* Fiber.join(next)
        assert.isTrue((yield* Fiber.join(running)).done)
        assert.isTrue((yield* Effect.provideContext(run, other)).operation.replayed)
      })
    )
  )
})
