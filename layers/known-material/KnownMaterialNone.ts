import { Effect, Layer } from "effect"
import { KnownMaterial } from "../../src/platform/ports/KnownMaterial.ts"

/** An empty list of known material: nothing matches. */
export const layer = Layer.succeed(
  KnownMaterial,
  KnownMaterial.of({ match: () => Effect.succeed({ version: null, match: null }) })
)
