import { Effect, Latch } from "effect"

/**
 * Returns a function that hands texts to `send`, in a fiber of its own until the scope ends. Texts of one
 * transaction leave together, and so do those that come while others are on their way.
 */
export const coalesced = Effect.fnUntraced(function* (
  send: (texts: ReadonlyArray<string>) => Effect.Effect<void>
) {
  const unsent = new Set<string>()
  const hasUnsent = Latch.makeUnsafe()
  yield* hasUnsent.await.pipe(
    // The latch continues this fiber before the caller can hand over its next text.
    Effect.andThen(Effect.yieldNow),
    Effect.andThen(
      Effect.suspend(() => {
        hasUnsent.closeUnsafe()
        const texts = [...unsent]
        unsent.clear()
        return send(texts)
      })
    ),
    Effect.forever,
    Effect.forkScoped
  )
  return (text: string): void => {
    unsent.add(text)
    hasUnsent.openUnsafe()
  }
})
