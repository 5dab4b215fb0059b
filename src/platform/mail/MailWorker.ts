import { Effect, Layer } from "effect"
import { Doorbells } from "../work/Doorbells.ts"
import { supervised } from "../work/worker.ts"
import { MAIL_BATCH, Mails } from "./Mails.ts"

/** A supervised fiber that sends the mails of the outbox. Several processes may share the work. */
export const MailWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const mails = yield* Mails
    const { bell } = yield* Doorbells
    yield* supervised({
      bell: bell("mails"),
      drain: Effect.repeat(mails.deliverDue, { while: (claimed) => claimed === MAIL_BATCH }),
      lost: "Mail is not delivered",
      regained: "Mail is delivered again"
    })
  })
)
