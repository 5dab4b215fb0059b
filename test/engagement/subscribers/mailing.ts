import { Effect } from "effect"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { Mailings } from "../../../src/engagement/subscribers/mailings/Mailings.ts"
import { Mails } from "../../../src/platform/mail/Mails.ts"
import { workOff } from "../notifications/mails/mailing.ts"

/** Puts the mails about posts that are due into the outbox. */
export const prepare = Effect.flatMap(Mailings, ({ claim, step }) => workOff(claim, step))

/** Sends the mails to readers that wait in the outbox. */
export const send = Effect.flatMap(Mails, ({ claimShared, deliver }) => workOff(claimShared, deliver))

/** Prepares and sends mails about posts, and returns those that leave. */
export const postMails = Effect.gen(function* () {
  const memory = yield* MailerMemory
  const before = yield* memory.sent
  yield* Effect.andThen(prepare, send)
  return (yield* memory.sent).slice(before.length).filter(({ listId }) => listId !== undefined)
})
