import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as KnownMaterialNone from "../../../layers/known-material/KnownMaterialNone.ts"
import { KnownMaterial } from "../../../src/platform/ports/KnownMaterial.ts"

const material = {
  sha256: "a".repeat(64),
  representations: [{ pixels: "b".repeat(64), perceptual: "0".repeat(16) }]
}

describe("no list of known material", () => {
  it.effect("A service without a list matches nothing and has no version", () =>
    Effect.gen(function* () {
      const known = yield* KnownMaterial
      assert.deepStrictEqual(yield* known.match(material), { version: null, match: null })
    }).pipe(Effect.provide(KnownMaterialNone.layer))
  )
})
