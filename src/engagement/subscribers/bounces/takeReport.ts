import { Effect, Option } from "effect"
import type { ReportKind } from "../../../../schemas/engagement/subscribers/bounces.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { Preferences } from "../../notifications/preferences/Preferences.ts"
import { subscriberStatements } from "../subscribers.sql.ts"
import { makeBounceTokens } from "./bounceTokens.ts"

/**
 * Makes the function that takes what a mail server reports about the mail to the reader of a token. It returns false for a token
 * that this service did not make. A failure that is reported again changes nothing. A complaint ends every subscription of the
 * mailbox, and the mails to the account that has it.
 */
export const makeTakeReport = Effect.gen(function* () {
  const subscribers = yield* subscriberStatements
  const preferences = yield* Preferences
  const tokens = yield* makeBounceTokens
  const transactions = yield* Transactions

  return Effect.fn("Bounces.takeReport")(function* (token: string, kind: ReportKind) {
    const reader = yield* tokens.readerOf(token)
    if (Option.isNone(reader)) return false
    const at = yield* now
    if (kind === "failure") yield* subscribers.failed(reader.value, at)
    else
      yield* transactions.run(
        Effect.gen(function* () {
          const mailbox = yield* subscribers.complained(reader.value, at)
          if (Option.isSome(mailbox)) yield* preferences.endMails(mailbox.value.mailbox)
        })
      )
    return true
  })
})
