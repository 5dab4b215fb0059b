import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { MailerMemory } from "../../layers/testing/MailerMemory.ts"
import { deliverInOrder } from "./delivery.ts"

/** Delivers the outbox, and returns every mail of this mailbox, oldest first. */
export const mailsTo = Effect.fnUntraced(function* (address: string) {
  const { sent } = yield* MailerMemory
  while ((yield* deliverInOrder) > 0);
  return (yield* sent).filter((mail) => mail.to.address === address)
})

/** The newest mail to this mailbox. */
const newestTo = (address: string) =>
  Effect.map(mailsTo(address), (mails) => {
    const mail = mails.at(-1)
    assert.isDefined(mail, `no mail to ${address}`)
    return mail
  })

/** The code of the newest mail to this mailbox. */
export const codeTo = (address: string) =>
  Effect.map(newestTo(address), ({ text }) => {
    const [, code] = /^\s*(\d{6})\s*$/m.exec(text) ?? []
    assert.isDefined(code, text)
    return code
  })

/** The link of the newest mail to this mailbox. */
export const linkTo = (address: string) =>
  Effect.map(newestTo(address), ({ text }) => {
    const [link] = /https?:\S+type=email_change/.exec(text) ?? []
    assert.isDefined(link, text)
    return link
  })

/** Returns a different code. */
export const wrongCode = (code: string) => code.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
