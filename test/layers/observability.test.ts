import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { observability } from "../../layers/observability.ts"
import { read } from "./config/problems.ts"
import { written } from "./writtenLines.ts"

const messagesOf = (texts: ReadonlyArray<string>) =>
  texts.map((text) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).message)
  )

it.effect("Lines that are logged together leave in one write, and the last ones when the service stops", () =>
  Effect.gen(function* () {
    const environment = yield* read({ LOG_FORMAT: "json" })
    const { texts } = yield* written
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(observability(environment, "1.2.3"), scope)
    const log = (message: string) => Effect.provideContext(Effect.logInfo(message), context)
    yield* log("one")
    yield* log("two")
    assert.isEmpty(texts)
    yield* TestClock.adjust("20 millis")
    assert.deepStrictEqual(messagesOf(texts), [["one", "two"]])
    yield* log("three")
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(messagesOf(texts), [["one", "two"], ["three"]])
  })
)
