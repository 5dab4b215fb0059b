import { Effect, Option } from "effect"
import { poll } from "../../layers/time/poll.ts"
import { onRealClock } from "../../layers/time/realClock.ts"

/** Polls on the real clock until a condition holds; dies after two minutes, which a busy machine may need. */
export const eventually = <E, R>(what: string, condition: Effect.Effect<boolean, E, R>) =>
  poll(
    Effect.map(condition, (holds) => (holds ? Option.some(true) : Option.none())),
    120_000
  ).pipe(
    Effect.flatMap((held) => (Option.isSome(held) ? Effect.void : Effect.die(new Error(`never: ${what}`)))),
    onRealClock
  )
