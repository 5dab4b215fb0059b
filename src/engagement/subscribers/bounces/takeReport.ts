import { Effect, Option } from "effect"
import type { ReportKind } from "../../../../schemas/engagement/subscribers/bounces.ts"
import type { SubscriberId } from "../../../../schemas/platform/Ids.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { Preferences } from "../../notifications/preferences/Preferences.ts"
import { makeSubscriberEvents } from "../subscriberEvents.ts"
import { subscriberStatements } from "../subscribers.sql.ts"
import { makeBounceTokens } from "./bounceTokens.ts"
import { makeReaderFailed } from "./readerFailed.ts"

/**
 * Makes the function that takes what a mail server reports about the mail to the reader of a token. It returns false for a token
 * that this service did not make. A failure that is reported again changes nothing. A complaint ends every subscription of the
 * mailbox, and the mails to the account that has it.
 */
export const makeTakeReport = Effect.gen(function* () {
  const subscribers = yield* subscriberStatements
  const events = yield* makeSubscriberEvents
  const readerFailed = yield* makeReaderFailed
  const preferences = yield* Preferences
  const tokens = yield* makeBounceTokens
  const transactions = yield* Transactions

  const complained = Effect.fnUntraced(
    function* (reader: SubscriberId) {
      const at = yield* now
      const rows = yield* subscribers.complained(reader, at)
      const ended = rows.filter((row) => row.got_mail)
      yield* events.ended(ended, "complaint", at)
      // All rows are of one mailbox.
      for (const { mailbox } of rows.slice(0, 1)) yield* preferences.endMails(mailbox)
    },
    (ending) => transactions.run(ending)
  )

  return Effect.fn("Bounces.takeReport")(function* (token: string, kind: ReportKind) {
    const reader = yield* tokens.readerOf(token)
    if (Option.isNone(reader)) return false
    if (kind === "failure") yield* readerFailed(reader.value)
    else yield* complained(reader.value)
    return true
  })
})
