import { type Duration, Effect, Fiber } from "effect"

/**
 * Gives an interrupted effect time to end by itself, then interrupts it. Use it for steps that an interruption may
 * leave half done, such as a mail on its way.
 */
export const gracefully =
  (within: Duration.Input) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const fiber = yield* Effect.forkChild(effect)
        return yield* restore(Fiber.join(fiber)).pipe(
          Effect.onInterrupt(() =>
            Fiber.await(fiber).pipe(Effect.timeoutOption(within), Effect.andThen(Fiber.interrupt(fiber)))
          )
        )
      })
    )
