import { Cause, Effect, Layer, Schedule } from "effect"
import { Idempotency } from "../idempotency/Idempotency.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { WalletLogin } from "../sessions/WalletLogin.ts"

const EVERY = "1 minute"

/**
 * A supervised fiber that forgets what no request can use any more. Any number of processes may do it at once, and
 * a sweep that fails, as while the database is away, is made up for by the next one.
 */
export const Housekeeping = Layer.effectDiscard(
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const walletLogin = yield* WalletLogin
    const idempotency = yield* Idempotency

    const sweep = Effect.all([sessions.sweep, walletLogin.sweep, idempotency.sweep], { discard: true }).pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logWarning("A sweep failed", cause)
      )
    )
    yield* sweep.pipe(Effect.repeat(Schedule.spaced(EVERY)), Effect.forkScoped)
  })
)
