import { Context, Effect, Layer, Queue } from "effect"

/** Tells the fibers of this process that there is work, so that it does not wait for their next look. */
export class UploadWakes extends Context.Service<
  UploadWakes,
  { readonly wake: Effect.Effect<void>; readonly woken: Effect.Effect<void> }
>()("pennypress/publishing/uploads/UploadWakes") {
  static readonly layer = Layer.effect(
    UploadWakes,
    Effect.map(Queue.sliding<void>(1), (wakes) =>
      UploadWakes.of({ wake: Effect.asVoid(Queue.offer(wakes, undefined)), woken: Queue.take(wakes) })
    )
  )
}
