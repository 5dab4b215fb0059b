import { Context, Effect, Layer, Ref } from "effect"
import {
  KnownMaterial,
  KnownMaterialUnavailable,
  type KnownMaterialVerdict,
  type Material
} from "../../src/platform/ports/KnownMaterial.ts"

/** The test's own hand on the list: what was compared with it, and what it says. */
export class KnownMaterialMemory extends Context.Service<
  KnownMaterialMemory,
  {
    /** All that was compared, oldest first; comparisons that failed count. */
    readonly compared: Effect.Effect<ReadonlyArray<Material>>
    /** Makes the next `times` comparisons answer this, in the place of no match; once unless told. */
    readonly answerNext: (
      answer: KnownMaterialVerdict | KnownMaterialUnavailable,
      times?: number
    ) => Effect.Effect<void>
    /** The edition of the list from now on; `memory-1` until then. */
    readonly setVersion: (version: string | null) => Effect.Effect<void>
  }
>()("pennypress/layers/testing/KnownMaterialMemory") {}

const make = Effect.gen(function* () {
  const compared = yield* Ref.make<ReadonlyArray<Material>>([])
  const answers = yield* Ref.make<ReadonlyArray<KnownMaterialVerdict | KnownMaterialUnavailable>>([])
  const version = yield* Ref.make<string | null>("memory-1")

  const knownMaterial = KnownMaterial.of({
    match: Effect.fnUntraced(function* (material) {
      yield* Ref.update(compared, (others) => [...others, material])
      const answer = yield* Ref.modify(answers, ([first, ...others]) => [first, others])
      if (answer instanceof KnownMaterialUnavailable) return yield* answer
      return answer ?? { version: yield* Ref.get(version), match: null }
    })
  })

  const control = KnownMaterialMemory.of({
    compared: Ref.get(compared),
    answerNext: (answer, times = 1) =>
      Ref.update(answers, (others) => [...others, ...Array.from({ length: times }, () => answer)]),
    setVersion: (next) => Ref.set(version, next)
  })
  return Context.make(KnownMaterial, knownMaterial).pipe(Context.add(KnownMaterialMemory, control))
})

/** A list that knows what it is told to, one for each time the layer is built. */
export const layer = Layer.effectContext(make)
