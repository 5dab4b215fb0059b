import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CommentId, type OwnerId } from "../../../schemas/platform/Ids.ts"
import { Finances } from "../../../src/payments/finance/Finances.ts"
import { type PaymentTarget } from "../../../src/payments/settlement/PaymentTarget.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { allChooseRankings, refreshDue } from "../../engagement/leaderboards/refresh.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { claimOf, PRICE_RAW, run, sellerOf } from "./paying.ts"

const TIP_RAW = 10n ** 29n

/** Pays for a target by x402, from a fresh wallet. */
const paid = Effect.fnUntraced(function* (
  payer: Effect.Success<ReturnType<typeof payerOf>>,
  terms: Parameters<typeof claimOf>[1]
) {
  const settlements = yield* Settlements
  yield* payer.fund()
  const { id } = yield* settlements.claim(yield* claimOf(payer, terms))
  const settled = yield* run(settlements.carryThrough(id))
  assert.strictEqual(settled.state, "settled")
  return settled
})

/** Saves whether lists of supporters show an account. */
const showAmongSupporters = Effect.fnUntraced(function* (owner: string, isShown: boolean) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into notification_preferences (owner_id, show_on_supporter_leaderboard) values (${owner}, ${isShown})`
})

const get = (path: string, token?: string) =>
  Effect.flatMap(TestClient, (client) => client.send("GET", path, token === undefined ? {} : { token }))

layer(service(database("test_payment_consequences")))("consequences of payments", (it) => {
  it.effect("A sale reaches counters, hasPurchased, notifications, leaderboards and daily numbers", () =>
    Effect.gen(function* () {
      const seller = yield* sellerOf(1)
      const [account, wallet, stranger] = yield* Effect.all([readerOf(11), readerOf(12), readerOf(13)])
      const comments = `/api/posts/${seller.postId}/comments`
      for (const number of [11, 12, 13]) yield* (yield* commenterOf(number)).say(seller.postId, "A word")
      const bought = Effect.map(get(comments), ({ body }) =>
        body.map((comment: any) => [comment.author.id, comment.hasPurchased])
      )
      assert.deepStrictEqual(
        (yield* bought).map(([, has]: [string, boolean]) => has),
        [false, false, false]
      )

      yield* showAmongSupporters(account.id, true)

      const from = yield* now
      // One pays by the account from a wallet of its own; the other's login wallet pays without an account.
      yield* paid(yield* payerOf(21), { ...seller, buyerId: account.id })
      yield* paid(yield* payerOf(12), seller)
      assert.deepStrictEqual(
        new Map(yield* bought),
        new Map([
          [account.id, true],
          [wallet.id, true],
          [stranger.id, false]
        ])
      )

      yield* (yield* Counters).add
      const post = yield* get(`/api/posts/${seller.postId}`)
      assert.strictEqual(post.body.counts.purchases, 2)

      const { body } = yield* get("/api/v1/notifications", seller.author.accessToken)
      const told = body.notifications.filter((it: any) => it.type === "new_purchase")
      assert.deepStrictEqual(
        new Set(told.map((it: any) => it.actor?.id ?? null)),
        new Set([account.id, null])
      )
      for (const it of told)
        assert.deepInclude(it, {
          post_id: seller.postId,
          comment_id: null,
          data: { kind: "purchase", amountRaw: String(PRICE_RAW), late: false }
        })
      assert.isTrue(told.every((it: any) => it.purchase_id !== null))

      const finances = yield* Finances
      const until = later(yield* now, 1)
      assert.deepStrictEqual(yield* finances.sold(seller.ownerId, from, until), { sales: 2, tips: 0 })
      assert.deepStrictEqual(yield* finances.sold(seller.ownerId, until, later(until, 1000)), {
        sales: 0,
        tips: 0
      })
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(
        (yield* sql`select from notification_summaries where owner_id = ${seller.ownerId}`).length > 0,
        true
      )

      yield* TestClock.adjust("10 minutes")
      yield* allChooseRankings
      yield* refreshDue
      const rows = (board: string, period: string) =>
        Effect.map(get(`/api/leaderboards?board=${board}&period=${period}`), (answer) =>
          answer.body.rows.map((row: any) => [row.profile.id, row.value])
        )
      for (const period of ["all", "week"]) {
        assert.deepStrictEqual(yield* rows("creator_sales", period), [[seller.ownerId, 2]])
        assert.deepStrictEqual(yield* rows("creator_earnings", period), [
          [seller.ownerId, String(2n * PRICE_RAW)]
        ])
        assert.deepStrictEqual(yield* rows("supporters", period), [[account.id, String(PRICE_RAW)]])
      }
    })
  )

  it.effect("A tip reaches activities, supporters and the Comment, with names only by choice", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* TestClient
      const seller = yield* sellerOf(2)
      const [shown, hidden, restricted, silent, agent] = yield* Effect.all([
        readerOf(31),
        readerOf(32),
        readerOf(33),
        readerOf(34),
        readerOf(35)
      ])
      yield* showAmongSupporters(shown.id, true)
      yield* showAmongSupporters(hidden.id, false)
      // A choice about something else is none about this.
      yield* sql`insert into notification_preferences (owner_id, push_notifications) values (${silent.id}, true)`
      yield* sql`update owners set author_kind = 'agent' where id = ${agent.id}`
      const { body: comment } = yield* client.send("POST", `/api/v1/posts/${seller.postId}/comments`, {
        token: seller.author.accessToken,
        headers: { "idempotency-key": "one" },
        body: { content: "Tip this" }
      })
      const target = (commentId: string | null): PaymentTarget => ({
        kind: "tip",
        postId: seller.postId,
        commentId: commentId === null ? null : CommentId.make(commentId),
        recipientId: seller.ownerId
      })
      const tip = Effect.fnUntraced(function* (
        wallet: number,
        to: PaymentTarget,
        buyerId: OwnerId | null,
        amountRaw: bigint
      ) {
        return yield* paid(yield* payerOf(wallet), { target: to, payTo: seller.payTo, amountRaw, buyerId })
      })
      const path = `/api/posts/${seller.postId}`
      const supporters = `${path}/comments/${comment.id}/tips/supporters`
      assert.deepStrictEqual((yield* get(supporters)).body, [])
      yield* tip(41, target(null), shown.id, TIP_RAW)
      yield* tip(42, target(comment.id), shown.id, TIP_RAW)
      yield* tip(42, target(comment.id), shown.id, 2n * TIP_RAW)
      yield* tip(43, target(comment.id), null, TIP_RAW)
      yield* tip(44, target(comment.id), null, TIP_RAW)
      yield* tip(45, target(comment.id), hidden.id, 9n * TIP_RAW)
      yield* tip(46, target(comment.id), restricted.id, TIP_RAW)
      yield* tip(48, target(comment.id), silent.id, 8n * TIP_RAW)
      yield* tip(49, target(comment.id), agent.id, TIP_RAW)
      yield* sql`update owners set restricted_at = now() where id = ${restricted.id}`
      // A tip to the Profile is on no Post.
      yield* tip(
        47,
        { kind: "tip", postId: null, commentId: null, recipientId: seller.ownerId },
        null,
        TIP_RAW
      )

      const activities = yield* get(`${path}/tip-activities`)
      assert.deepStrictEqual(
        activities.body.map((it: any) => [it.supporter?.id ?? null, it.commentId, it.amountReceivedRaw]),
        [
          [agent.id, comment.id, String(TIP_RAW)],
          [null, comment.id, String(8n * TIP_RAW)],
          [null, comment.id, String(9n * TIP_RAW)],
          [null, comment.id, String(TIP_RAW)],
          [null, comment.id, String(TIP_RAW)],
          [shown.id, comment.id, String(2n * TIP_RAW)],
          [shown.id, comment.id, String(TIP_RAW)],
          [shown.id, null, String(TIP_RAW)]
        ]
      )
      assert.deepStrictEqual(
        (yield* get(supporters)).body.map((it: any) => [it.supporter?.id ?? null, it.tipAmountRaw]),
        [
          [shown.id, String(3n * TIP_RAW)],
          [null, String(2n * TIP_RAW)],
          [agent.id, String(TIP_RAW)],
          // Those who are not shown, as one, and last: an order by amounts would tell them.
          [null, null]
        ]
      )
      const discussion = (yield* get(`${path}/comments`)).body
      assert.strictEqual(discussion[0].tipAmountRaw, String(24n * TIP_RAW))
      yield* (yield* Counters).add
      assert.deepStrictEqual(
        yield* sql`select tips, purchases from post_counts where post_id = ${seller.postId}`,
        [{ tips: 1, purchases: 0 }]
      )
      assert.deepStrictEqual(
        yield* sql`select sum(tips)::integer as tips, sum(tips_raw)::text as raw from earnings_daily where owner_id = ${seller.ownerId}`,
        [{ tips: 10, raw: String(26n * TIP_RAW) }]
      )
    })
  )
})
