import { Context, Effect, Layer, Ref } from "effect"
import {
  KnownMaterial,
  KnownMaterialUnavailable,
  type KnownMaterialVerdict,
  type Material
} from "../../src/platform/ports/KnownMaterial.ts"

/** Controls the list in a test, and shows what was compared with it. */
export class KnownMaterialMemory extends Context.Service<
  KnownMaterialMemory,
  {
    /** Returns every comparison, including failed ones, oldest first. */
    readonly compared: Effect.Effect<ReadonlyArray<Material>>
    /** Makes the next `times` comparisons match this entry; one by default. */
    readonly answerNext: (
      answer: KnownMaterialVerdict | KnownMaterialUnavailable,
      times?: number
    ) => Effect.Effect<void>
    /** Sets the edition of the list, `memory-1` by default. */
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

/** A list whose matches a test chooses, new for each build of the layer. */
export const layer = Layer.effectContext(make)
