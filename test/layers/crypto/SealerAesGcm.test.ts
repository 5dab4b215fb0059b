import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import * as SealerAesGcm from "../../../layers/crypto/SealerAesGcm.ts"
import { Sealer } from "../../../src/platform/ports/Sealer.ts"
import { configured, NEW, OLD, started } from "./serverSecrets.ts"

const sealerOf = (secrets: string) =>
  Effect.map(started(SealerAesGcm.layer.pipe(Layer.provide(configured(secrets)))), (context) =>
    Context.get(context, Sealer)
  )

describe("the sealer", () => {
  it.effect("The sealer opens a text that it sealed", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* sealerOf(NEW)
      for (const text of ["", "{}", "a pair of tokens", "Ӿ ☃ 🪙", "x".repeat(10_000)]) {
        assert.deepStrictEqual(yield* open(yield* seal(text)), Option.some(text))
      }
    })
  )

  it.effect("One text is sealed differently every time, in nonce, ciphertext and tag", () =>
    Effect.gen(function* () {
      const { seal } = yield* sealerOf(NEW)
      const [one, two] = [yield* seal("the same text"), yield* seal("the same text")]
      assert.lengthOf(one, 12 + "the same text".length + 16)
      assert.notDeepEqual(one.slice(0, 12), two.slice(0, 12))
      assert.notDeepEqual(one.slice(12), two.slice(12))
      assert.notInclude(Buffer.from(one).toString("latin1"), "same")
    })
  )

  it.effect("A sealed text with any change, cut or extension is refused", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* sealerOf(NEW)
      const sealed = yield* seal("pair")
      for (let place = 0; place < sealed.length; place++) {
        const changed = sealed.map((byte, at) => (at === place ? byte ^ 1 : byte))
        assert.isTrue(Option.isNone(yield* open(changed)), String(place))
      }
      for (let length = 0; length < sealed.length; length++) {
        assert.isTrue(Option.isNone(yield* open(sealed.slice(0, length))), String(length))
      }
      assert.isTrue(Option.isNone(yield* open(Uint8Array.of(...sealed, 0))))
    })
  )

  it.effect("A text under a former secret is opened, but not one under a foreign secret", () =>
    Effect.gen(function* () {
      const [before, after, stranger] = [
        yield* sealerOf(OLD),
        yield* sealerOf(`${NEW},${OLD}`),
        yield* sealerOf(NEW)
      ]
      const sealed = yield* before.seal("pair")
      assert.deepStrictEqual(yield* after.open(sealed), Option.some("pair"))
      assert.isTrue(Option.isNone(yield* stranger.open(sealed)))
      assert.deepStrictEqual(yield* stranger.open(yield* after.seal("pair")), Option.some("pair"))
    })
  )
})
