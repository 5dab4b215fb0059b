import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as KnownMaterialMemory from "../../../layers/testing/KnownMaterialMemory.ts"
import { KnownMaterial, KnownMaterialUnavailable } from "../../../src/platform/ports/KnownMaterial.ts"

const material = {
  sha256: "a".repeat(64),
  representations: [{ pixels: "b".repeat(64), perceptual: "0".repeat(16) }]
}

describe("the memory double of known material", () => {
  it.effect("The double answers as told, in that order, and then without a match", () =>
    Effect.gen(function* () {
      const known = yield* KnownMaterial
      const memory = yield* KnownMaterialMemory.KnownMaterialMemory
      yield* memory.answerNext(new KnownMaterialUnavailable({ cause: "away" }), 2)
      yield* memory.answerNext({ version: "x", match: "case 1" })
      assert.strictEqual((yield* Effect.flip(known.match(material))).cause, "away")
      assert.strictEqual((yield* Effect.flip(known.match(material))).cause, "away")
      assert.deepStrictEqual(yield* known.match(material), { version: "x", match: "case 1" })
      assert.deepStrictEqual(yield* known.match(material), { version: "memory-1", match: null })
      yield* memory.setVersion("memory-2")
      assert.strictEqual((yield* known.match(material)).version, "memory-2")
      assert.deepStrictEqual(yield* memory.compared, [material, material, material, material, material])
    }).pipe(Effect.provide(KnownMaterialMemory.layer))
  )
})
