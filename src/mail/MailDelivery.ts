import { Cause, Effect, Layer, Schedule } from "effect"
import { MAIL_BATCH, Mails } from "./Mails.ts"

/** For mails of other processes, and for those that are due again. */
const POLL = "1 second"

/** How long to wait for a database that is away, from the first failure on. */
const patience = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("10 seconds")])

/**
 * A supervised fiber that sends the mails of the outbox: at once when this process posts one, and else by looking each
 * second. Any number of processes may do it at once. While the database is away it goes on trying, and says so once.
 */
export const MailDelivery = Layer.effectDiscard(
  Effect.gen(function* () {
    const mails = yield* Mails

    const drain = Effect.repeat(mails.deliverDue, { while: (taken) => taken === MAIL_BATCH })
    const outlast = Effect.fnUntraced(function* (cause: Cause.Cause<never>) {
      yield* Effect.logWarning("Mail is not delivered", cause)
      yield* Effect.sleep(POLL)
      yield* Effect.retry(Effect.sandbox(drain), patience)
      yield* Effect.logInfo("Mail is delivered again")
    })
    yield* drain.pipe(
      Effect.asVoid,
      Effect.catchCauseIf((cause) => !Cause.hasInterruptsOnly(cause), outlast),
      Effect.andThen(Effect.timeoutOption(mails.posted, POLL)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
