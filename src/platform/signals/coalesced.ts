import { Effect, Latch } from "effect"

/**
 * Returns a function that hands texts to `send`, in a fiber of its own until the scope ends. Texts that come while
 * others are on their way leave together with the next ones.
 */
export const coalesced = Effect.fnUntraced(function* (
  send: (texts: ReadonlyArray<string>) => Effect.Effect<void>
) {
  const unsent = new Set<string>()
  const hasUnsent = Latch.makeUnsafe()
  yield* hasUnsent.await.pipe(
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
