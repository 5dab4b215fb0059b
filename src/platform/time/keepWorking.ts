import { Cause, Effect, Schedule } from "effect"

/** For the work of other processes, and for what is due again. */
const POLL = "1 second"

/** How long to wait for a database that is away, from the first failure on. */
const patience = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("10 seconds")])

/** Work that any number of processes share. */
interface SharedWork {
  /** Does what is due, all of it. */
  readonly workOff: Effect.Effect<unknown>
  /** Waits until this process itself has made more of it. */
  readonly woken: Effect.Effect<void>
  /** What the log says when it cannot be done, and when it can be again. */
  readonly lost: string
  readonly regained: string
}

/**
 * A supervised fiber that works as long as the scope lasts: at once when this process makes work, and else by looking each
 * second. While the database is away it goes on trying, and says so once.
 */
export const keepWorking = ({ lost, regained, woken, workOff }: SharedWork) => {
  const outlast = Effect.fnUntraced(function* (cause: Cause.Cause<never>) {
    yield* Effect.logWarning(lost, cause)
    yield* Effect.sleep(POLL)
    yield* Effect.retry(Effect.sandbox(workOff), patience)
    yield* Effect.logInfo(regained)
  })
  return workOff.pipe(
    Effect.asVoid,
    Effect.catchCauseIf((cause) => !Cause.hasInterruptsOnly(cause), outlast),
    Effect.andThen(Effect.timeoutOption(woken, POLL)),
    Effect.forever,
    Effect.forkScoped
  )
}
