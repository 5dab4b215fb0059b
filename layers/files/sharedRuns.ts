import { Deferred, Effect } from "effect"

/**
 * Makes a function that runs `run` once for all callers of a key that wait together. A run that was going on when a
 * caller came does not count for this caller: the next run does, and begins when the present one ends. Callers of one run
 * share its failure. A run is uninterruptible.
 */
export const sharedRuns = <E>(run: (key: string) => Effect.Effect<void, E>) => {
  /** Keys that run now, with the run that follows. */
  const running = new Map<string, { next: Deferred.Deferred<void, E> | undefined }>()

  const shared = (key: string): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      const present = running.get(key)
      if (present !== undefined) {
        present.next ??= Deferred.makeUnsafe<void, E>()
        return Deferred.await(present.next)
      }
      return runNow(key)
    })

  const runNow = (key: string): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      const present: { next: Deferred.Deferred<void, E> | undefined } = { next: undefined }
      running.set(key, present)
      const follow = Effect.suspend(() => {
        running.delete(key)
        const { next } = present
        if (next === undefined) return Effect.void
        // The caller of this run does not wait for the next one.
        return Effect.forkDetach(
          Effect.onExit(runNow(key), (exit) => Deferred.done(next, exit)),
          {
            startImmediately: true
          }
        )
      })
      return Effect.onExit(run(key), () => follow)
    }).pipe(Effect.uninterruptible)

  return shared
}
