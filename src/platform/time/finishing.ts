import { type Duration, Effect, Fiber } from "effect"

/** When this is interrupted, it has that long to finish, and is interrupted then. For what may be half done. */
export const finishing =
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
