import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { NotificationPreferencesChange } from "../../../../schemas/engagement/notifications/Preferences.ts"
import { NotificationMails } from "../../../../src/engagement/notifications/mails/NotificationMails.ts"
import { Preferences } from "../../../../src/engagement/notifications/preferences/Preferences.ts"
import { later, now } from "../../../../src/platform/time/now.ts"
import { paid } from "../../../payments/finance/selling.ts"
import { PRICE_RAW, sellerOf } from "../../../payments/settlement/paying.ts"
import { payerOf } from "../../../support/actors/payer.ts"
import { sessionOf } from "../../../support/actors/storedOwner.ts"
import { database } from "../../../support/Database.ts"
import { service, TestClient } from "../../../support/TestClient.ts"
import { twoAssemblies } from "../../../support/twoServices.ts"
import { tellDays } from "../summaries/days.ts"
import { mailed, personOf, postDue, setMailbox, typesTo } from "./mailing.ts"

const DAY = 24 * 60 * 60 * 1000
/** The time of the mail about the sales of the first day of a test. */
const MAIL_TIME = Date.UTC(2026, 10, 22, 8)

/** A seller with a mailbox, and payers. Numbers of actors begin at `number`. */
const sellingIn = Effect.fnUntraced(function* (number: number) {
  const seller = yield* sellerOf(number)
  const email = `seller${number}@example.org`
  yield* setMailbox(seller.ownerId, email)
  const payers = yield* Effect.forEach([1, 2, 3], (n) => payerOf(number + n))
  for (const payer of payers) yield* payer.fund()
  const preferences = yield* Preferences
  return {
    ...seller,
    email,
    payers,
    prefer: (change: NotificationPreferencesChange) => preferences.save(sessionOf(seller.ownerId), change)
  }
})

/** Does what is due at a moment. Returns the mails that leave. */
const mailsAt = Effect.fnUntraced(function* (time: number) {
  yield* TestClock.setTime(time)
  yield* tellDays
  return yield* mailed
})

layer(service(database("test_mail_daily_sales")))("A daily mail about sales", (it) => {
  it.effect("Sales and tips come in one mail at 08:00 UTC, by post, and in no other", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(MAIL_TIME - DAY)
      const { another, email, ownerId, payTo, payers, target } = yield* sellingIn(1)
      const second = yield* another
      const tip = { kind: "tip", postId: null, commentId: null, recipientId: ownerId } as const
      for (const payer of payers) yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      yield* paid(payers[0]!, { target: second, payTo, amountRaw: PRICE_RAW })
      // A second payment for the same post buys nothing.
      yield* paid(payers[0]!, { target: second, payTo, amountRaw: PRICE_RAW })
      yield* paid(payers[1]!, { target: tip, payTo, amountRaw: PRICE_RAW / 5n })
      assert.deepStrictEqual(yield* mailed, [])
      assert.deepStrictEqual(yield* mailsAt(MAIL_TIME - 1), [])
      const mails = yield* mailsAt(MAIL_TIME)
      assert.deepStrictEqual(typesTo(mails, email), ["daily_sales"])
      const [mail] = mails
      assert.strictEqual(mail?.subject, "You earned 1.05 XNO since yesterday")
      assert.include(
        mail?.text,
        [
          "5 payments since yesterday:",
          "3 readers bought “On pennies”: 0.75 XNO",
          "1 reader bought “On pennies”: 0.25 XNO",
          "1 tip on your comments and profile: 0.05 XNO"
        ].join("\n\n")
      )
      assert.include(mail?.html, "3 readers bought “On pennies”: 0.75 XNO</p>")
      assert.include(mail?.text, "asked to hear about sales and tips")
      assert.deepStrictEqual(yield* mailsAt(MAIL_TIME + DAY), [])
    })
  )

  it.effect("A sale after the end of a day is told the next day, and no day is told twice", () =>
    Effect.gen(function* () {
      const end = Date.UTC(2026, 10, 25, 7)
      yield* TestClock.setTime(end - 1)
      const { another, email, payTo, payers, target } = yield* sellingIn(11)
      const [payer] = payers
      yield* paid(payer!, { target, payTo, amountRaw: PRICE_RAW })
      yield* TestClock.setTime(end)
      yield* paid(payer!, { target: yield* another, payTo, amountRaw: PRICE_RAW + PRICE_RAW / 5n })
      const first = yield* mailsAt(end + 60 * 60_000)
      assert.deepStrictEqual(
        first.filter(({ to }) => to.address === email).map(({ subject }) => subject),
        ["You earned 0.25 XNO since yesterday"]
      )
      assert.deepStrictEqual(yield* mailsAt(end + 2 * 60 * 60_000), [])
      const second = yield* mailsAt(end + DAY + 60 * 60_000)
      assert.deepStrictEqual(
        second.map(({ subject }) => subject),
        ["You earned 0.3 XNO since yesterday"]
      )
    })
  )

  it.effect("An author chooses a mail for each sale, or none, and no summary tells of sales", () =>
    Effect.gen(function* () {
      const noon = Date.UTC(2026, 11, 1, 12)
      yield* TestClock.setTime(noon)
      const { another, email, payTo, payers, prefer, target } = yield* sellingIn(21)
      const targets = [target, yield* another, yield* another, yield* another, yield* another]
      const heardOn = Effect.fnUntraced(function* (day: number) {
        yield* TestClock.setTime(noon + day * DAY)
        yield* paid(payers[0]!, { target: targets[day]!, payTo, amountRaw: PRICE_RAW })
        const atOnce = typesTo(yield* mailed, email)
        const next = yield* mailsAt(noon + (day + 1) * DAY - 60_000)
        const summary = next.find(({ subject, to }) => to.address === email && subject.startsWith("Your day"))
        return [atOnce, typesTo(next, email).toSorted(), summary?.text.includes("1 sale") ?? false]
      })
      assert.deepStrictEqual(yield* heardOn(0), [[], ["daily_sales"], false])
      yield* prefer({ notify_sales: "at_once" })
      assert.deepStrictEqual(yield* heardOn(1), [["new_purchase"], [], false])
      yield* prefer({ notify_sales: "never" })
      assert.deepStrictEqual(yield* heardOn(2), [[], [], false])
      yield* prefer({ notify_sales: "daily", notify_new_purchase: false })
      assert.deepStrictEqual(yield* heardOn(3), [[], [], false])
      // A day with other news has both mails, and neither repeats the other.
      yield* prefer({ notify_new_purchase: true })
      const post = targets[4]!.postId!
      yield* TestClock.setTime(noon + 4 * DAY)
      yield* (yield* personOf(25)).say(post)
      yield* mailed
      assert.deepStrictEqual(yield* heardOn(4), [[], ["daily_sales", "summary"], false])
    })
  )

  it.effect("Each sale comes in one mail, however often an author changes the choice on that day", () =>
    Effect.gen(function* () {
      const noon = Date.UTC(2026, 11, 20, 12)
      yield* TestClock.setTime(noon)
      const { another, email, ownerId, payTo, payers, prefer, target } = yield* sellingIn(41)
      const sale = Effect.fnUntraced(function* (quarters: bigint) {
        const bought = quarters === 1n ? target : yield* another
        yield* paid(payers[0]!, { target: bought, payTo, amountRaw: quarters * PRICE_RAW })
      })
      const subjects = (mails: ReadonlyArray<{ readonly subject: string }>) =>
        mails.map(({ subject }) => subject.replace(/^.* bought .* for /, "One for "))

      yield* sale(1n)
      assert.deepStrictEqual(yield* mailed, [])
      yield* prefer({ notify_sales: "at_once" })
      yield* sale(2n)
      assert.deepStrictEqual(subjects(yield* mailed), ["One for 0.5 XNO"])
      // This mail still waits when its author chooses again.
      yield* sale(3n)
      yield* prefer({ notify_sales: "daily" })
      assert.deepStrictEqual(subjects(yield* mailed), ["One for 0.75 XNO"])
      yield* sale(4n)
      // Without a mailbox, a mail of its own had no place to go.
      yield* prefer({ notify_sales: "at_once" })
      yield* setMailbox(ownerId, null)
      yield* sale(5n)
      yield* setMailbox(ownerId, email)
      // Chosen when the day is over, and its mail waits for 08:00.
      yield* prefer({ notify_sales: "daily" })
      yield* TestClock.setTime(noon + DAY - 4.5 * 60 * 60_000)
      yield* tellDays
      yield* prefer({ notify_sales: "at_once" })
      assert.deepStrictEqual(subjects(yield* mailsAt(noon + DAY - 4 * 60 * 60_000)), [
        "You earned 2.5 XNO since yesterday"
      ])
      assert.deepStrictEqual(yield* mailsAt(noon + 2 * DAY), [])
    })
  )

  it.effect(
    "A day that began with daily mail is told at 08:00, also if its author chose otherwise since",
    () =>
      Effect.gen(function* () {
        const noon = Date.UTC(2027, 0, 10, 12)
        yield* TestClock.setTime(noon)
        const { email, payTo, payers, prefer, target } = yield* sellingIn(51)
        yield* paid(payers[0]!, { target, payTo, amountRaw: PRICE_RAW })
        yield* prefer({ notify_sales: "at_once", notify_summaries: false })
        assert.deepStrictEqual(yield* mailed, [])
        assert.deepStrictEqual(typesTo(yield* mailsAt(noon + DAY), email), ["daily_sales"])
      })
  )

  it.effect(
    "An author who switches the mail off before 08:00 does not get it, and its link does the same",
    () =>
      Effect.gen(function* () {
        const noon = Date.UTC(2026, 11, 10, 12)
        yield* TestClock.setTime(noon)
        const { another, email, payTo, payers, prefer, target } = yield* sellingIn(31)
        yield* paid(payers[0]!, { target, payTo, amountRaw: PRICE_RAW })
        yield* TestClock.setTime(noon + DAY - 5 * 60 * 60_000 + 5 * 60_000)
        yield* tellDays
        yield* prefer({ notify_sales: "never" })
        assert.deepStrictEqual(typesTo(yield* mailsAt(noon + DAY), email), [])
        yield* prefer({ notify_sales: "daily" })
        yield* paid(payers[0]!, { target: yield* another, payTo, amountRaw: PRICE_RAW })
        const [mail] = yield* mailsAt(noon + 2 * DAY)
        assert.strictEqual(mail?.to.address, email)
        const client = yield* TestClient
        const path = (mail?.unsubscribeUrl ?? "").replace(/^https?:\/\/[^/]+/, "")
        assert.strictEqual((yield* client.send("POST", path)).status, 200)
        assert.isFalse((yield* prefer({ push_notifications: false })).notify_new_purchase)
      })
  )
})

layer(Layer.empty)("two processes", (it) => {
  it.effect("An author gets one mail of a day, also when a process dies after its claim", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(MAIL_TIME - DAY)
      const [one, other] = yield* twoAssemblies("test_mail_daily_two_processes")
      const inOne = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, one)
      const inOther = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, other)
      const sql = Context.get(one, SqlClient.SqlClient)
      const { ownerId, payTo, payers, target } = yield* inOne(sellingIn(1))
      for (const payer of payers) yield* inOne(paid(payer, { target, payTo, amountRaw: PRICE_RAW }))
      // As two sales that settle in two processes at the same time.
      yield* sql`
        insert into notification_summaries (owner_id, ends_at, due_at)
        select owner_id, ends_at, due_at from notification_summaries where owner_id = ${ownerId} limit 1`
      yield* TestClock.setTime(MAIL_TIME)
      yield* Effect.all([inOne(tellDays), inOther(tellDays)], { concurrency: 2 })
      assert.lengthOf(yield* sql`select from notification_mails`, 2)

      const at = yield* now
      const lost = yield* inOne(
        Effect.flatMap(NotificationMails, ({ claim }) =>
          claim({ at, leaseUntil: later(at, 30_000), limit: 10 })
        )
      )
      assert.lengthOf(lost, 2)
      yield* Effect.all([inOne(postDue), inOther(postDue)], { concurrency: 2 })
      assert.lengthOf(yield* sql`select from mails`, 0)
      yield* TestClock.adjust("30 seconds")
      yield* Effect.all([inOne(postDue), inOther(postDue)], { concurrency: 2 })
      // It was only slow: what it posts now is nothing. The summary of this day has nothing to add.
      yield* inOne(Effect.flatMap(NotificationMails, ({ post }) => Effect.forEach(lost, post)))
      assert.lengthOf(yield* sql`select from mails`, 1)
      assert.lengthOf(yield* sql`select from notification_mails`, 0)
    })
  )
})
