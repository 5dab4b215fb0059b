import { Effect } from "effect"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { Mailings } from "../../../src/engagement/subscribers/mailings/Mailings.ts"
import { Mails } from "../../../src/platform/mail/Mails.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import type { Claim } from "../../../src/platform/work/lease.ts"

/** Does work that is due, ten rows at a time, until none is left. */
const workOff = <Row, E, R>(
  claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  run: (row: Row) => Effect.Effect<unknown, E, R>
) =>
  Effect.gen(function* () {
    const at = yield* now
    const rows = yield* claim({ at, leaseUntil: later(at, 60_000), limit: 10 })
    yield* Effect.forEach(rows, run, { discard: true })
    return rows.length
  }).pipe(Effect.repeat({ while: (claimed) => claimed > 0 }), Effect.asVoid)

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
