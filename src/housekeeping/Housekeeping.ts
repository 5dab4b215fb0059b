import { Cause, Effect, Layer, Schedule } from "effect"
import { EmailCodes } from "../accounts/email-codes/EmailCodes.ts"
import { Registrations } from "../accounts/registrations/Registrations.ts"
import { Sessions } from "../accounts/sessions/Sessions.ts"
import { WalletLogin } from "../accounts/sessions/WalletLogin.ts"
import { Idempotency } from "../platform/idempotency/Idempotency.ts"
import { Mails } from "../platform/mail/Mails.ts"
import { Uploads } from "../publishing/uploads/Uploads.ts"

const EVERY = "1 minute"

/**
 * A supervised fiber that forgets what no request can use any more. Any number of processes may do it at once, and
 * a sweep that fails, as while the database is away, keeps no other from its work and is made up for by the next one.
 */
export const Housekeeping = Layer.effectDiscard(
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const walletLogin = yield* WalletLogin
    const idempotency = yield* Idempotency
    const emailCodes = yield* EmailCodes
    const registrations = yield* Registrations
    const mails = yield* Mails
    const uploads = yield* Uploads

    const guarded = Effect.catchCauseIf(
      (cause: Cause.Cause<never>) => !Cause.hasInterruptsOnly(cause),
      (cause) => Effect.logWarning("A sweep failed", cause)
    )
    const keepers = [sessions, walletLogin, idempotency, emailCodes, registrations, mails, uploads]
    yield* Effect.forEach(keepers, ({ sweep }) => guarded(sweep), { discard: true }).pipe(
      Effect.repeat(Schedule.spaced(EVERY)),
      Effect.forkScoped
    )
  })
)
