import { Effect, Option, PartitionedSemaphore } from "effect"
import { DependencyUnavailable } from "../ports/DependencyUnavailable.ts"

/** Deadline of a read that waited for others, in milliseconds: the same as that of a statement. */
const DEADLINE_MILLIS = 5_000

/**
 * Makes a function that runs at most `count` reads at the same time. It is for reads of whole sections: each holds
 * megabytes before its answer waits for a client, and the pool alone would run 80 of them. Waiting reads take turns by
 * key, such as their owner: many reads of one owner delay those of another by only one read. A read that waits for
 * others fails as unavailable after five seconds. The timer runs only when no place is free.
 */
export const fewAtOnce = (count: number, dependency = "database") => {
  const places = PartitionedSemaphore.makeUnsafe<string>({ permits: count })
  const waiting = Effect.timeoutOrElse({
    duration: DEADLINE_MILLIS,
    orElse: () => Effect.die(new DependencyUnavailable({ dependency }))
  })

  return (key: string) =>
    <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.flatMap(
        places.withPermitsIfAvailable(1)(read),
        Option.match({ onNone: () => waiting(places.withPermit(key)(read)), onSome: Effect.succeed })
      )
}
