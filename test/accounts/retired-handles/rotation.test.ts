import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as PepperHmac from "../../../layers/crypto/PepperHmac.ts"
import { RetiredHandles } from "../../../src/accounts/retired-handles/RetiredHandles.ts"
import { configured, NEW, OLD, started } from "../../layers/crypto/serverSecrets.ts"
import { database } from "../../support/Database.ts"

/** Runs an effect in a process with these secrets. */
const under =
  (secrets: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      started(RetiredHandles.layer.pipe(Layer.provide(PepperHmac.layer), Layer.provide(configured(secrets)))),
      (process) => Effect.provide(effect, process)
    )

const retire = (handle: string) => Effect.flatMap(RetiredHandles, (handles) => handles.retire([handle]))
const isRetired = (handle: string) => Effect.flatMap(RetiredHandles, (handles) => handles.isRetired(handle))

layer(database("test_retired_handles"))("handles of deleted accounts", (it) => {
  it.effect("A handle stays retired for a year while the secret of its time is among the secrets", () =>
    Effect.gen(function* () {
      yield* under(OLD)(retire("Former"))
      assert.isTrue(yield* under(`${NEW},${OLD}`)(isRetired("former")))
      yield* under(`${NEW},${OLD}`)(retire("later"))
      assert.isTrue(yield* under(`${OLD},${NEW}`)(isRetired("later")))
      assert.isFalse(yield* under(`${NEW},${OLD}`)(isRetired("other")))
      // A secret that is gone takes its handles along.
      assert.isFalse(yield* under(NEW)(isRetired("former")))
      assert.isTrue(yield* under(NEW)(isRetired("later")))
      yield* TestClock.adjust("365 days")
      assert.isFalse(yield* under(`${NEW},${OLD}`)(isRetired("former")))
    })
  )
})
