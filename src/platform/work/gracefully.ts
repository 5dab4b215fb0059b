import { type Duration, Effect, Fiber } from "effect"

/**
 * Gives an effect time to end by itself when it is interrupted, and interrupts it after that. For steps that may be half
 * done, such as a mail on its way to the server.
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
