import { Effect } from "effect"
import type { PostId, SubscriberId } from "../../../../schemas/platform/Ids.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { makeSubscriberEvents } from "../subscriberEvents.ts"
import { subscriberStatements } from "../subscribers.sql.ts"

/** Makes the function that counts a mail that did not arrive. It tells the author of a subscription that this ends. */
export const makeReaderFailed = Effect.gen(function* () {
  const subscribers = yield* subscriberStatements
  const events = yield* makeSubscriberEvents
  const transactions = yield* Transactions

  return Effect.fn("Bounces.readerFailed")(
    function* (reader: SubscriberId, post?: PostId) {
      const at = yield* now
      const rows = yield* subscribers.failed(reader, at, post)
      const ended = rows.filter(({ state }) => state === "bounced")
      yield* events.ended(ended, "bounce", at)
    },
    (failing) => transactions.run(failing)
  )
})
