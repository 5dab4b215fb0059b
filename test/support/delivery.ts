import { Cause, Deferred, Effect, Exit } from "effect"
import type { ClaimedMail } from "../../src/platform/mail/mails.sql.ts"
import { Mails } from "../../src/platform/mail/Mails.ts"
import { mailWork } from "../../src/platform/mail/MailWorker.ts"
import { worker } from "../../src/platform/work/worker.ts"

/** The most mails that one delivery claims. */
const MAILS_MAX = 10

const delivering = Effect.fnUntraced(function* (most: number) {
  const mails = mailWork(yield* Mails)
  const work = { ...mails, concurrency: Math.min(most, mails.concurrency) }
  const end = yield* Deferred.make<void>()
  const exits: Array<Exit.Exit<void>> = []
  let claimed = 0
  let running = 0
  let isDry = false
  const endWhenDone = Effect.suspend(() =>
    isDry && running === 0 ? Deferred.done(end, Exit.asVoidAll(exits)) : Effect.void
  )

  const claim: typeof work.claim = Effect.fnUntraced(
    function* (asked) {
      const limit = Math.min(asked.limit, MAILS_MAX - claimed)
      const mails = isDry ? [] : yield* work.claim({ ...asked, limit })
      claimed += mails.length
      running += mails.length
      isDry ||= mails.length < limit || claimed === MAILS_MAX
      yield* endWhenDone
      return mails
    },
    Effect.tapCause((cause) => Deferred.failCause(end, cause))
  )

  const run = (mail: ClaimedMail) =>
    work.run(mail).pipe(
      Effect.onExit((exit) => {
        running -= 1
        if (Exit.isSuccess(exit) || !Cause.hasInterruptsOnly(exit.cause)) exits.push(exit)
        return endWhenDone
      })
    )

  yield* worker({ ...work, claim, run })
  yield* Deferred.await(end)
  return claimed
}, Effect.scoped)

/**
 * Runs the worker of mail until no mail is due or ten were claimed, and stops it once each of them ended. Returns the
 * number of claimed mails. Fails when a delivery died or the outbox is unavailable.
 */
export const deliver = delivering(MAILS_MAX)

/** As `deliver`, one mail at a time, so that they arrive in the order in which they were due. */
export const deliverInOrder = delivering(1)
