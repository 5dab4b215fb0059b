import { Context, Effect, Layer, Ref } from "effect"
import {
  type ArchiveInspectionFailed,
  ArchiveInspector,
  type ArchiveInspectorUnavailable,
  type ArchiveUnreadable
} from "../../src/platform/ports/ArchiveInspector.ts"

type Failure = ArchiveUnreadable | ArchiveInspectionFailed | ArchiveInspectorUnavailable

/** Controls the inspector of archives in a test, and shows what it inspected. */
export class ArchiveInspectorMemory extends Context.Service<
  ArchiveInspectorMemory,
  {
    /** Returns the bytes of every inspection, including failed ones, oldest first. */
    readonly inspected: Effect.Effect<ReadonlyArray<Uint8Array>>
    /** Makes the next `times` inspections fail with this error; one by default. */
    readonly failNext: (error: Failure, times?: number) => Effect.Effect<void>
  }
>()("pennypress/layers/testing/ArchiveInspectorMemory") {}

const make = Effect.gen(function* () {
  const inspected = yield* Ref.make<ReadonlyArray<Uint8Array>>([])
  const failures = yield* Ref.make<ReadonlyArray<Failure>>([])

  const archives = ArchiveInspector.of({
    inspect: Effect.fnUntraced(function* (bytes) {
      yield* Ref.update(inspected, (others) => [...others, bytes])
      const failure = yield* Ref.modify(failures, ([first, ...others]) => [first, others])
      if (failure !== undefined) return yield* failure
    })
  })

  const control = ArchiveInspectorMemory.of({
    inspected: Ref.get(inspected),
    failNext: (error, times = 1) =>
      Ref.update(failures, (others) => [...others, ...Array.from({ length: times }, () => error)])
  })
  return Context.make(ArchiveInspector, archives).pipe(Context.add(ArchiveInspectorMemory, control))
})

/** An inspector that unpacks nothing, new for each build of the layer. */
export const layer = Layer.effectContext(make)
