import { Clock, Effect, Option } from "effect"

const intervalMillis = 20

/** Probes every 20 ms until there is an answer. None after `withinMillis`. */
export const poll = <A, E, R>(probe: Effect.Effect<Option.Option<A>, E, R>, withinMillis: number) =>
  Effect.gen(function* () {
    const deadlineMillis = (yield* Clock.currentTimeMillis) + withinMillis
    while (true) {
      const answer = yield* probe
      if (Option.isSome(answer)) return answer
      if ((yield* Clock.currentTimeMillis) >= deadlineMillis) return Option.none<A>()
      yield* Effect.sleep(intervalMillis)
    }
  })
