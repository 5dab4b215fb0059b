import { Effect, Layer } from "effect"
import { keepWorking } from "../time/keepWorking.ts"
import { MAIL_BATCH, Mails } from "./Mails.ts"

/** A supervised fiber that sends the mails of the outbox. Any number of processes may do it at once. */
export const MailDelivery = Layer.effectDiscard(
  Effect.gen(function* () {
    const mails = yield* Mails
    yield* keepWorking({
      workOff: Effect.repeat(mails.deliverDue, { while: (taken) => taken === MAIL_BATCH }),
      woken: mails.posted,
      lost: "Mail is not delivered",
      regained: "Mail is delivered again"
    })
  })
)
