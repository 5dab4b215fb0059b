import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { Summaries } from "../../../../src/engagement/notifications/summaries/Summaries.ts"
import { Finances } from "../../../../src/payments/finance/Finances.ts"
import { DAY_MILLIS, now } from "../../../../src/platform/time/now.ts"
import { Notices } from "../../../../src/publishing/posts/Notices.ts"
import { insertPost } from "../../../support/actors/storedOwner.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { deeds, personOf } from "../deeds.ts"
import { claimDays, day, daysLeft, summariesOf, tellDays } from "./days.ts"

/** The beginning of a day of summaries. */
const DAWN = Date.UTC(2026, 10, 21, 7)
const FIVE_MINUTES = 5 * 60 * 1000

/** Three owners at noon of the `number`th day. The first has a Post. */
const castOf = Effect.fnUntraced(function* (number: number) {
  const dawn = DAWN + number * 10 * DAY_MILLIS
  yield* TestClock.setTime(dawn + DAY_MILLIS / 5)
  const owner = yield* personOf(number * 10 + 1)
  const ann = yield* personOf(number * 10 + 2)
  const bob = yield* personOf(number * 10 + 3)
  const post = yield* insertPost(number * 10 + 1, owner, "published")
  return {
    ...(yield* deeds),
    owner,
    ann,
    bob,
    post,
    target: { kind: "post", id: post } as const,
    /** The date on which the `n`th of the days ends. */
    dateOf: (n: number) => new Date(dawn + n * DAY_MILLIS).toISOString().slice(0, 10),
    /** Goes to the end of the `n`th of the days, or this many milliseconds after it. */
    toEnd: (n: number, millis = 0) => TestClock.setTime(dawn + n * DAY_MILLIS + millis),
    /** Goes to the time of the summary of the `n`th day, and sends it. */
    told: (n: number) => Effect.andThen(TestClock.setTime(dawn + n * DAY_MILLIS + FIVE_MINUTES), tellDays)
  }
})

/** Tells that a tip to an owner has settled. */
const tipTo = Effect.fnUntraced(function* (owner: OwnerId) {
  const { purchased } = yield* Notices
  yield* purchased({
    kind: "tip",
    recipientId: owner,
    buyerId: null,
    postId: null,
    commentId: null,
    purchaseId: null,
    amountRaw: 1n,
    late: false,
    cause: owner,
    at: yield* now
  })
})

layer(service(database("test_summaries")))("summary (contract 4.6)", (it) => {
  it.effect("An owner gets a daily summary of the numbers since the last one", () =>
    Effect.gen(function* () {
      const { ann, bob, comment, dateOf, follow, owner, post, react, target, toEnd, told } = yield* castOf(0)
      yield* follow(ann, owner)
      const own = yield* comment(owner, post)
      yield* comment(ann, post, own)
      yield* comment(bob, post)
      yield* react(ann, target, "heart")
      yield* react(bob, target, "fire")
      yield* react(bob, { kind: "comment", id: own }, "clap")
      yield* toEnd(1, FIVE_MINUTES - 1)
      assert.strictEqual(yield* tellDays, 0)
      assert.strictEqual(yield* told(1), 1)
      const first = [dateOf(1), day({ followers: 1, comments: 2, reactions: 3 })] as const
      assert.deepStrictEqual(yield* summariesOf(owner), [first])
      for (const reader of [ann, bob]) assert.deepStrictEqual(yield* summariesOf(reader), [])
      yield* follow(bob, owner)
      assert.strictEqual(yield* told(2), 1)
      assert.deepStrictEqual(yield* summariesOf(owner), [[dateOf(2), day({ followers: 1 })], first])
      assert.strictEqual(yield* told(3), 0)
      assert.strictEqual(yield* daysLeft(owner), 0)
    })
  )

  it.effect("A day ends at 07:00 UTC, to the millisecond", () =>
    Effect.gen(function* () {
      const { ann, bob, comment, dateOf, follow, owner, post, react, target, toEnd, told } = yield* castOf(1)
      yield* toEnd(1, -1)
      yield* follow(ann, owner)
      yield* comment(ann, post)
      yield* react(ann, target, "heart")
      yield* toEnd(1)
      yield* follow(bob, owner)
      yield* comment(bob, post)
      yield* react(bob, target, "heart")
      // A reaction that changes before the summary of its day counts on its own day.
      yield* react(ann, target, "fire")
      yield* told(1)
      yield* told(2)
      const numbers = day({ followers: 1, comments: 1, reactions: 1 })
      assert.deepStrictEqual(yield* summariesOf(owner), [
        [dateOf(2), numbers],
        [dateOf(1), numbers]
      ])
    })
  )

  it.effect("Any single event makes the day of its owner due, and no deed of the owner does", () =>
    Effect.gen(function* () {
      const { ann, bob, comment, follow, owner, post, react, target, told } = yield* castOf(6)
      const own = yield* comment(owner, post)
      const events = [
        follow(ann, owner),
        comment(ann, post),
        react(bob, target, "heart"),
        react(bob, { kind: "comment", id: own }, "heart"),
        tipTo(owner)
      ]
      assert.strictEqual(yield* told(1), 0)
      for (const [n, event] of events.entries()) {
        yield* event
        assert.strictEqual(yield* daysLeft(owner), 1)
        assert.strictEqual(yield* told(n + 2), 1)
      }
    })
  )

  it.effect("A summary omits what is gone, silent follows and changed reactions", () =>
    Effect.gen(function* () {
      const { ann, bob, comment, dateOf, follow, owner, post, react, removeComment, target, toEnd, told } =
        yield* castOf(2)
      yield* follow(ann, owner)
      yield* follow(ann, owner, false)
      yield* removeComment(ann, yield* comment(ann, post))
      yield* react(ann, target, "heart")
      yield* react(ann, target, null)
      assert.strictEqual(yield* daysLeft(owner), 1)
      assert.strictEqual(yield* told(1), 1)
      assert.deepStrictEqual(yield* summariesOf(owner), [])
      // Less than a day after its end the follow begins again in silence.
      yield* toEnd(1, FIVE_MINUTES)
      yield* follow(ann, owner)
      yield* react(bob, target, "heart")
      yield* told(2)
      yield* react(bob, target, "fire")
      assert.strictEqual(yield* told(3), 0)
      assert.deepStrictEqual(yield* summariesOf(owner), [[dateOf(2), day({ reactions: 1 })]])
    })
  )

  it.effect("A summary does not reach a restricted account or a removed one", () =>
    Effect.gen(function* () {
      const { ann, bob, follow, owner, told } = yield* castOf(3)
      yield* follow(ann, owner)
      yield* follow(owner, bob)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set restricted_at = created_at where id = ${owner}`
      yield* sql`delete from owners where id = ${bob}`
      assert.strictEqual(yield* told(1), 2)
      yield* sql`update owners set restricted_at = null where id = ${owner}`
      assert.deepStrictEqual(yield* summariesOf(owner), [])
      assert.isEmpty(yield* sql`select from notifications where recipient_id = ${bob} and type = 'summary'`)
    })
  )

  it.effect("A summary counts the sales and tips that payments report", () =>
    Effect.gen(function* () {
      const { dateOf, owner, toEnd } = yield* castOf(4)
      const asked: Array<unknown> = []
      const withSales = Layer.fresh(Summaries.layer).pipe(
        Layer.provide(
          Layer.mock(Finances, {
            sold: (...span) =>
              Effect.as(
                Effect.sync(() => asked.push(span)),
                { sales: 2, tips: 1 }
              )
          })
        )
      )
      yield* toEnd(1, -1)
      yield* tipTo(owner)
      yield* toEnd(1, FIVE_MINUTES)
      assert.strictEqual(yield* Effect.provide(tellDays, withSales), 1)
      assert.deepStrictEqual(asked, [
        [owner, new Date(DAWN + 40 * DAY_MILLIS), new Date(DAWN + 41 * DAY_MILLIS)]
      ])
      assert.deepStrictEqual(yield* summariesOf(owner), [[dateOf(1), day({ sales: 2, tips: 1 })]])
    })
  )

  it.effect("A process that dies or is slow neither loses nor doubles a day", () =>
    Effect.gen(function* () {
      const { ann, dateOf, follow, owner, toEnd } = yield* castOf(5)
      yield* follow(ann, owner)
      yield* toEnd(1, FIVE_MINUTES)
      const [slow] = yield* claimDays(5)
      assert.strictEqual(yield* tellDays, 0)
      yield* TestClock.adjust("1 minute")
      const [other] = yield* claimDays(5)
      const { notify } = yield* Summaries
      yield* notify(slow!)
      assert.deepStrictEqual(yield* summariesOf(owner), [])
      yield* notify(other!)
      yield* notify(slow!)
      yield* notify(other!)
      assert.deepStrictEqual(yield* summariesOf(owner), [[dateOf(1), day({ followers: 1 })]])
    })
  )
})
