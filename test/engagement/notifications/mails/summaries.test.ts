import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { tellDays } from "../summaries/days.ts"
import { begin, mailed, personOf, typesTo } from "./mailing.ts"

const HOUR = 60 * 60 * 1000

/** The times of the summaries of the test's first days. */
const told = (number: number) => Date.UTC(2026, 10, 20 + number, 7, 5)

layer(service(database("test_mail_summaries")))("a daily summary (spec 2.9)", (it) => {
  it.effect("An owner who wants summaries gets a mail with the numbers of the day", () =>
    Effect.gen(function* () {
      yield* begin
      const [owner, bob, cat] = yield* Effect.all([personOf(1), personOf(2), personOf(3)])
      yield* owner.prefer({ notify_summaries: true })
      yield* bob.prefer({ notify_summaries: false })
      const post = yield* owner.published
      yield* bob.say(post)
      yield* cat.say(post)
      yield* cat.follow(owner.id, { notify_new_posts: true })
      yield* bob.follow(cat.id, { notify_new_posts: true })
      yield* cat.follow(bob.id, { notify_new_posts: true })
      yield* mailed
      yield* TestClock.setTime(told(1) - 1)
      yield* tellDays
      assert.deepStrictEqual(yield* mailed, [])
      yield* TestClock.setTime(told(1))
      yield* tellDays
      const mails = yield* mailed
      assert.deepStrictEqual(typesTo(mails, owner.email), ["summary"])
      assert.deepStrictEqual(typesTo(mails, bob.email), [])
      const mail = mails.find(({ to }) => to.address === owner.email)
      assert.include(mail?.text, "Since yesterday: 1 new follower, 2 new comments.")
      assert.include(mail?.text, mail?.unsubscribeUrl)
      yield* TestClock.adjust(HOUR)
      yield* tellDays
      assert.deepStrictEqual(yield* mailed, [])
    })
  )

  it.effect("A day without any event sends no mail", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(told(2))
      yield* tellDays
      assert.deepStrictEqual(yield* mailed, [])
    })
  )
})
