import { type Duration, Effect } from "effect"

/** The outcome of a check, in words for the operator. */
export interface Finding {
  /** The part of the configuration or of the world, such as `database`. */
  readonly name: string
  readonly state: "ok" | "warning" | "fault"
  /** One sentence, without secrets. */
  readonly said: string
  /** The remedy; null when there is nothing to do. */
  readonly advice: string | null
}

/** Makes the findings of a part. */
export const about = (name: string) => ({
  ok: (said: string): Finding => ({ name, state: "ok", said, advice: null }),
  warning: (said: string, advice: string): Finding => ({ name, state: "warning", said, advice }),
  fault: (said: string, advice: string): Finding => ({ name, state: "fault", said, advice })
})

/** Time that a part has to answer. */
const PATIENCE = "10 seconds"

/** Returns the findings of a check. A part that does not answer in time, or breaks the check, is a fault. */
export const within = <E, R>(
  name: string,
  check: Effect.Effect<ReadonlyArray<Finding>, E, R>,
  silent: string,
  patience: Duration.Input = PATIENCE
) =>
  check.pipe(
    Effect.timeout(patience),
    Effect.catchCause(() => Effect.succeed([about(name).fault("It does not answer.", silent)]))
  )
