import { createHash } from "node:crypto"
import { Context, Effect, Layer, Ref } from "effect"
import type { ImageFormat } from "../../schemas/publishing/uploads/limits.ts"
import {
  type ImageDecodingFailed,
  type ImageInspection,
  ImageDecoder,
  type ImageDecoderUnavailable,
  type ImageUnreadable,
  type ScaledImage
} from "../../src/platform/ports/ImageDecoder.ts"

type Failure = ImageUnreadable | ImageDecodingFailed | ImageDecoderUnavailable

/** An image that the service asked to inspect. */
export interface Inspected {
  readonly bytes: Uint8Array
  readonly format: ImageFormat
}

/** Controls the decoder in a test, and shows what it inspected. */
export class ImageDecoderMemory extends Context.Service<
  ImageDecoderMemory,
  {
    /** Returns every inspection, including failed ones, oldest first. */
    readonly inspected: Effect.Effect<ReadonlyArray<Inspected>>
    /** Makes the next inspection succeed with this result. Results and failures apply in the order of these calls. */
    readonly answerNext: (inspection: ImageInspection) => Effect.Effect<void>
    /** Makes the next scaling have this outcome. Others give no smaller copies. */
    readonly scaleNext: (outcome: Effect.Effect<ReadonlyArray<ScaledImage>, Failure>) => Effect.Effect<void>
    /** Makes the next `times` inspections fail with this error; one by default. */
    readonly failNext: (error: Failure, times?: number) => Effect.Effect<void>
  }
>()("pennypress/layers/testing/ImageDecoderMemory") {}

/** Returns the default inspection: one frame, whose hashes are those of its bytes. */
export const inspectionOf = (bytes: Uint8Array): ImageInspection => {
  const pixels = createHash("sha256").update(bytes).digest("hex")
  return { frames: 1, representations: [{ pixels, perceptual: pixels.slice(0, 16) }] }
}

const make = Effect.gen(function* () {
  const inspected = yield* Ref.make<ReadonlyArray<Inspected>>([])
  const outcomes = yield* Ref.make<ReadonlyArray<Effect.Effect<ImageInspection, Failure>>>([])
  const scalings = yield* Ref.make<ReadonlyArray<Effect.Effect<ReadonlyArray<ScaledImage>, Failure>>>([])
  const queue = (outcome: Effect.Effect<ImageInspection, Failure>, times = 1) =>
    Ref.update(outcomes, (others) => [...others, ...Array.from({ length: times }, () => outcome)])

  const images = ImageDecoder.of({
    inspect: Effect.fnUntraced(function* (bytes, format) {
      yield* Ref.update(inspected, (others) => [...others, { bytes, format }])
      const outcome = yield* Ref.modify(outcomes, ([first, ...others]) => [first, others])
      return outcome === undefined ? inspectionOf(bytes) : yield* outcome
    }),
    scale: Effect.fnUntraced(function* () {
      const outcome = yield* Ref.modify(scalings, ([first, ...others]) => [first, others])
      return outcome === undefined ? [] : yield* outcome
    })
  })

  const control = ImageDecoderMemory.of({
    inspected: Ref.get(inspected),
    answerNext: (inspection) => queue(Effect.succeed(inspection)),
    scaleNext: (outcome) => Ref.update(scalings, (others) => [...others, outcome]),
    failNext: (error, times) => queue(Effect.fail(error), times)
  })
  return Context.make(ImageDecoder, images).pipe(Context.add(ImageDecoderMemory, control))
})

/** A decoder that decodes nothing, new for each build of the layer. */
export const layer = Layer.effectContext(make)
