import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { PRICE_STEP_RAW } from "../../../schemas/platform/Nano.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { buyerOf, inTime } from "../../support/actors/buyer.ts"
import { signIn } from "../../support/actors/owner.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { lookAfter, lookNow, lookSoon, openSession, sale, sessionOf } from "./sessionWorld.ts"

/** The purchases and the duplicates of a Post. */
const bought = Effect.fnUntraced(function* (postId: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly purchases: number; readonly duplicates: number }>`
    select (select count(*)::int4 from purchases where post_id = ${postId}) as purchases,
      (select count(*)::int4 from settlements where post_id = ${postId} and duplicate) as duplicates`
  return row
})

layer(service(database("test_sessions_paying")))("paying a session", (it) => {
  it.effect("The exact amount buys the Post, with a receipt for the holder of the token", () =>
    Effect.gen(function* () {
      const { buy, payer, postId } = yield* sale
      const session = yield* buy
      const { hash } = yield* payer.pay(session.payTo, session.amount)
      yield* lookSoon
      const paid = yield* session.now
      assert.match(paid.receipt.token, /^ppr_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}$/)
      assert.deepStrictEqual(paid, {
        ...paid,
        state: "paid",
        transaction: hash,
        amountReceivedRaw: session.amountRaw,
        late: false,
        matchedBy: "exact",
        duplicates: [],
        retryAfterSeconds: 0,
        accessUrl: `/api/posts/${postId}/access`
      })
      assert.deepStrictEqual(yield* bought(postId), { purchases: 1, duplicates: 0 })
      assert.deepStrictEqual((yield* session.now).receipt, paid.receipt)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(
        yield* sql`
          select from access_receipts r join payment_sessions s on s.receipt_hash = r.token_hash
          where s.id = ${session.sessionId} and r.purchase_id = ${paid.receipt.purchaseId}`,
        1
      )
      // Looking again changes nothing.
      yield* lookAfter("5 minutes")
      assert.deepStrictEqual(yield* session.now, paid)
      assert.deepStrictEqual(yield* bought(postId), { purchases: 1, duplicates: 0 })
    })
  )

  it.effect("A block that was refused as a direct payment pays a session once it is confirmed", () =>
    Effect.gen(function* () {
      const { postId } = yield* sale
      const ledger = yield* NanoLedgerMemory
      yield* ledger.setAnswer("work")
      const buyer = yield* buyerOf(60)
      const { answer } = yield* buyer.buy(postId)
      yield* ledger.setAnswer(undefined)
      assert.deepStrictEqual(refusalOf(answer), [402, "invalid_work"])
      const { accessToken } = yield* signIn(61)
      const session = yield* sessionOf({ kind: "purchase", postId }, accessToken)
      const { hash } = yield* ledger.book.process((yield* ledger.published).at(-1)!)
      yield* TestClock.adjust("1 second")
      yield* session.saySent(buyer.account)
      yield* lookSoon
      assert.deepInclude(yield* session.now, { state: "paid", matchedBy: "base", transaction: hash })
      assert.deepStrictEqual(yield* bought(postId), { purchases: 1, duplicates: 0 })
    })
  )

  it.effect("An account buys for itself, and cannot buy twice", () =>
    Effect.gen(function* () {
      const { payer, postId } = yield* sale
      const { accessToken: token } = yield* signIn(50)
      const session = yield* sessionOf({ kind: "purchase", postId }, token)
      const other = yield* sessionOf({ kind: "purchase", postId }, token)
      yield* payer.pay(session.payTo, session.amount)
      yield* lookSoon
      const paid = yield* session.now
      assert.deepStrictEqual([paid.state, paid.receipt], ["paid", null])
      assert.deepStrictEqual(refusalOf(yield* openSession({ kind: "purchase", postId }, { token })), [
        409,
        "already_purchased"
      ])
      // The other session was open before: its money came, and buys nothing.
      yield* payer.pay(other.payTo, other.amount)
      yield* lookSoon
      assert.deepStrictEqual(
        [(yield* other.now).state, yield* bought(postId)],
        ["paid", { purchases: 1, duplicates: 1 }]
      )
    })
  )

  it.effect("Customers of one exchange, whose wallet pays for all of them, each get the Post", () =>
    Effect.gen(function* () {
      const { buy, payer, postId } = yield* sale
      const [one, two] = [yield* buy, yield* buy]
      yield* payer.pay(one.payTo, one.amount)
      yield* payer.pay(two.payTo, two.amount)
      yield* lookSoon
      const [first, second] = [yield* one.now, yield* two.now]
      assert.isNotNull(first.receipt)
      assert.isNotNull(second.receipt)
      assert.notStrictEqual(first.receipt.token, second.receipt.token)
      assert.deepStrictEqual(yield* bought(postId), { purchases: 2, duplicates: 0 })
    })
  )

  it.effect("A session tips the author by handle", () =>
    Effect.gen(function* () {
      const { author, payer } = yield* sale
      const session = yield* sessionOf({ kind: "tip", handle: author.handle, amountXno: "0.5" })
      yield* payer.pay(session.payTo, session.amount)
      yield* lookSoon
      const { accessUrl, receipt, state } = yield* session.now
      assert.deepStrictEqual({ accessUrl, receipt, state }, { accessUrl: null, receipt: null, state: "paid" })
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`
          select t.amount_raw, s.base_raw from tips t join settlements s on s.id = t.settlement_id
          where s.session_id = ${session.sessionId}`,
        [{ amount_raw: session.amountRaw, base_raw: session.baseAmountRaw }]
      )
    })
  )

  it.effect(
    "A plain send of the price pays no session whose holder has not said so, a purchase or a tip",
    () =>
      Effect.gen(function* () {
        const { author, payer: stranger, postId } = yield* sale
        const { accessToken } = yield* signIn(51)
        const session = yield* sessionOf({ kind: "purchase", postId }, accessToken)
        const tip = yield* sessionOf({ kind: "tip", handle: author.handle, amountXno: "0.5" })
        for (const { path, send } of [session, tip]) {
          assert.strictEqual((yield* send("GET", "?wait=0")).status, 200, path)
        }
        yield* stranger.pay(session.payTo, session.base)
        yield* stranger.pay(tip.payTo, tip.base)
        yield* lookSoon
        for (const { now } of [session, tip]) assert.strictEqual((yield* now).state, "open")
        // One names another sender, and the other one has gone away.
        yield* session.saySent(author.wallet.account)
        yield* tip.saySent()
        yield* lookAfter("31 seconds")
        for (const { now } of [session, tip]) assert.strictEqual((yield* now).state, "open")
        assert.deepStrictEqual(yield* bought(postId), { purchases: 0, duplicates: 0 })
        yield* session.saySent(stranger.account)
        yield* tip.saySent()
        yield* lookSoon
        for (const { now } of [session, tip])
          assert.deepInclude(yield* now, { state: "paid", matchedBy: "base" })

        const client = yield* TestClient
        const listed = (list: string) =>
          Effect.map(
            client.send("GET", `/api/v1/finance/${list}`, { token: author.accessToken }),
            ({ body }) => body.data.map((it: { matchedBy: string }) => it.matchedBy)
          )
        assert.deepStrictEqual([yield* listed("sales"), yield* listed("tips")], [["base"], ["base"]])
      })
  )

  it.effect("A holder who says so in advance, or has no account, does not get what a stranger pays", () =>
    Effect.gen(function* () {
      const { author, buy, payer: stranger, postId } = yield* sale
      const tip = yield* sessionOf({ kind: "tip", handle: author.handle, amountXno: "0.5" })
      const { accessToken } = yield* signIn(53)
      const early = yield* sessionOf({ kind: "purchase", postId }, accessToken)
      for (const { saySent } of [tip, early]) yield* saySent()
      yield* TestClock.adjust("5 seconds")
      yield* stranger.pay(early.payTo, early.base)
      yield* stranger.pay(tip.payTo, tip.base)
      for (let times = 0; times < 5; times++) {
        for (const { send } of [tip, early]) yield* inTime(send("GET", "?wait=1"))
        yield* lookSoon
      }
      for (const { now } of [tip, early]) assert.strictEqual((yield* now).state, "open")
      yield* early.cancel
      yield* TestClock.adjust("1 minute")

      const anonymous = yield* buy
      yield* stranger.pay(anonymous.payTo, anonymous.base)
      yield* TestClock.adjust("1 second")
      yield* anonymous.saySent(stranger.account)
      yield* inTime(anonymous.send("GET", "?wait=1"))
      yield* lookSoon
      assert.strictEqual((yield* anonymous.now).state, "open")
      assert.deepStrictEqual(yield* bought(postId), { purchases: 0, duplicates: 0 })
      yield* stranger.pay(anonymous.payTo, anonymous.amount)
      yield* lookSoon
      assert.deepInclude(yield* anonymous.now, { state: "paid", matchedBy: "exact" })
    })
  )

  it.effect("The word of a holder counts again when the holder waits again, also after the expiry", () =>
    Effect.gen(function* () {
      const { author, payer } = yield* sale
      const session = yield* sessionOf({ kind: "tip", handle: author.handle, amountXno: "0.25" })
      yield* TestClock.adjust("13 minutes")
      yield* payer.pay(session.payTo, session.base)
      yield* TestClock.adjust("1 second")
      yield* session.saySent()
      yield* lookAfter("59 seconds")
      assert.strictEqual((yield* session.now).state, "open")
      yield* lookAfter("2 minutes")
      assert.strictEqual((yield* session.now).state, "expired")
      assert.strictEqual((yield* inTime(session.send("GET", "?wait=3"))).body.state, "expired")
      yield* lookNow
      assert.deepInclude(yield* session.now, { state: "paid", late: false, matchedBy: "base" })
    })
  )

  it.effect("Only the holder of a session says that it was paid, and only with an address", () =>
    Effect.gen(function* () {
      const { buy, payer } = yield* sale
      const session = yield* buy
      const client = yield* TestClient
      const sent = `${session.path}/sent`
      const other = { headers: { "x-session-token": (yield* buy).token } }
      assert.deepStrictEqual(refusalOf(yield* client.send("POST", sent, { body: {} })), [
        403,
        "session_invalid"
      ])
      assert.deepStrictEqual(refusalOf(yield* client.send("POST", sent, { ...other, body: {} })), [
        403,
        "session_invalid"
      ])
      for (const wrong of ["", "nano_1", `${payer.account}x`, "x".repeat(2_000)])
        assert.strictEqual((yield* session.saySent(wrong)).status, 422, wrong)
      assert.strictEqual((yield* session.saySent(` nano:${payer.account}?amount=1 `)).status, 200)
      yield* payer.pay(session.payTo, session.amount)
      yield* lookSoon
      // A paid session stays as it is.
      const paid = yield* session.now
      assert.strictEqual(paid.state, "paid")
      assert.deepStrictEqual((yield* session.saySent()).body, paid)
    })
  )

  it.effect("A rounded amount pays the only open session of its base", () =>
    Effect.gen(function* () {
      const { payer, postId } = yield* sale
      const { accessToken } = yield* signIn(52)
      const session = yield* sessionOf({ kind: "purchase", postId }, accessToken)
      yield* payer.pay(session.payTo, session.base + 1_024_000_000_000n)
      yield* TestClock.adjust("1 second")
      yield* session.saySent()
      yield* lookSoon
      const { amountReceivedRaw, matchedBy, state } = yield* session.now
      assert.deepStrictEqual(
        [state, matchedBy, amountReceivedRaw],
        ["paid", "base", String(session.base + 1_024_000_000_000n)]
      )
    })
  )

  it.effect("A rounded amount with two sessions, a wrong amount and a freed tag pay nothing", () =>
    Effect.gen(function* () {
      const { buy, payer, postId } = yield* sale
      const [one, two] = [yield* buy, yield* buy]
      yield* one.saySent()
      yield* two.saySent()
      yield* payer.pay(one.payTo, one.base)
      yield* payer.pay(one.payTo, one.amount - PRICE_STEP_RAW)
      yield* payer.pay(one.payTo, one.amount + PRICE_STEP_RAW)
      yield* lookSoon
      assert.deepStrictEqual([(yield* one.now).state, (yield* two.now).state], ["open", "open"])
      yield* lookAfter("15 minutes")
      yield* lookAfter("24 hours")
      assert.deepStrictEqual([(yield* one.now).state, (yield* two.now).state], ["closed", "closed"])
      yield* payer.pay(one.payTo, one.amount)
      yield* lookAfter("5 minutes")
      assert.deepStrictEqual(
        [(yield* one.now).state, yield* bought(postId)],
        ["closed", { purchases: 0, duplicates: 0 }]
      )
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(
        yield* sql`select from watched_accounts where key = (
        select pay_to_key from payment_sessions where id = ${one.sessionId})`,
        0
      )
    })
  )

  it.effect("An unconfirmed block is seen, and pays once it is confirmed", () =>
    Effect.gen(function* () {
      const memory = yield* NanoLedgerMemory
      const { buy, payer } = yield* sale
      const session = yield* buy
      yield* memory.confirmAfter("never")
      const { hash } = yield* payer.pay(session.payTo, session.amount)
      yield* memory.confirmAfter(0)
      yield* lookSoon
      const seen = yield* session.now
      assert.deepStrictEqual([seen.state, seen.transaction], ["seen", null])
      // It is too late to cancel.
      assert.strictEqual((yield* session.cancel).body.state, "seen")
      yield* lookAfter("10 minutes")
      yield* memory.confirm(hash)
      yield* lookAfter("10 seconds")
      assert.strictEqual((yield* session.now).state, "paid")
    })
  )

  it.effect("A session returns to open when the network drops its block", () =>
    Effect.gen(function* () {
      const memory = yield* NanoLedgerMemory
      const { buy, payer } = yield* sale
      const session = yield* buy
      yield* memory.confirmAfter("never")
      const before = yield* payer.head
      yield* payer.pay(session.payTo, session.amount)
      yield* memory.confirmAfter(0)
      yield* lookSoon
      assert.strictEqual((yield* session.now).state, "seen")
      yield* memory.elect(yield* payer.send(payer.account, 1n, before?.hash))
      yield* lookSoon
      assert.strictEqual((yield* session.now).state, "open")
    })
  )

  it.effect("Expired and cancelled sessions are paid late, even if the Post was withdrawn or repriced", () =>
    Effect.gen(function* () {
      const { author, buy, payer, postId } = yield* sale
      const [expired, cancelled] = [yield* buy, yield* buy]
      assert.strictEqual((yield* cancelled.cancel).body.state, "cancelled")
      assert.strictEqual((yield* cancelled.cancel).body.state, "cancelled")
      yield* author.patch(postId, { priceXno: "2" })
      yield* author.unpublish(postId)
      yield* payer.pay(cancelled.payTo, cancelled.amount)
      yield* lookSoon
      yield* lookAfter("15 minutes")
      assert.strictEqual((yield* expired.now).state, "expired")
      // Late sessions take exact amounts alone.
      yield* payer.pay(expired.payTo, expired.base)
      yield* expired.saySent()
      yield* lookNow
      yield* expired.saySent()
      yield* lookAfter("5 minutes")
      assert.strictEqual((yield* expired.now).state, "expired")
      yield* TestClock.adjust("23 hours")
      yield* payer.pay(expired.payTo, expired.amount)
      yield* lookNow
      for (const session of [expired, cancelled]) {
        const { late, receipt, state } = yield* session.now
        assert.deepStrictEqual([state, late, receipt === null], ["paid", true, false])
      }
      assert.deepStrictEqual(yield* bought(postId), { purchases: 2, duplicates: 0 })
    })
  )

  it.effect("A payment in time that is noticed afterwards is not late", () =>
    Effect.gen(function* () {
      const { buy, payer } = yield* sale
      const session = yield* buy
      yield* TestClock.adjust("14 minutes")
      yield* payer.pay(session.payTo, session.amount)
      yield* TestClock.adjust("2 minutes")
      yield* lookNow
      const { late, state } = yield* session.now
      assert.deepStrictEqual([state, late], ["paid", false])
    })
  )

  it.effect("A second payment of a paid session is a duplicate from any sender, and buys nothing", () =>
    Effect.gen(function* () {
      const { buy, payer, postId } = yield* sale
      const friend = yield* payerOf(900)
      yield* friend.fund()
      const session = yield* buy
      yield* payer.pay(session.payTo, session.amount)
      yield* lookSoon
      const again = yield* payer.pay(session.payTo, session.amount)
      yield* TestClock.adjust("1 minute")
      const more = yield* friend.pay(session.payTo, session.amount)
      // Its looks are as frequent as those of an open session.
      yield* lookAfter("2 seconds")
      const { duplicates, state } = yield* session.now
      assert.deepStrictEqual([state, duplicates], ["paid", [again.hash, more.hash]])
      assert.deepStrictEqual(yield* bought(postId), { purchases: 1, duplicates: 2 })
      yield* lookAfter("5 minutes")
      assert.deepStrictEqual((yield* session.now).duplicates, [again.hash, more.hash])
    })
  )

  it.effect("Two payments before the first look are a payment and a duplicate", () =>
    Effect.gen(function* () {
      const { buy, payer, postId } = yield* sale
      const session = yield* buy
      const first = yield* payer.pay(session.payTo, session.amount)
      yield* TestClock.adjust("1 second")
      const second = yield* payer.pay(session.payTo, session.amount)
      yield* lookSoon
      const { duplicates, transaction } = yield* session.now
      assert.deepStrictEqual([transaction, duplicates], [first.hash, [second.hash]])
      assert.deepStrictEqual(yield* bought(postId), { purchases: 1, duplicates: 1 })
    })
  )

  it.effect("Money that the author receives and sends on immediately still pays", () =>
    Effect.gen(function* () {
      const { author, buy, payer } = yield* sale
      const session = yield* buy
      yield* payer.pay(session.payTo, session.amount)
      const number = Number(author.handle.replace("author", ""))
      const recipient = yield* payerOf(number)
      yield* recipient.pocket
      yield* recipient.pay(payer.account, session.amount)
      yield* lookSoon
      assert.strictEqual((yield* session.now).state, "paid")
    })
  )

  it.effect("A block older than the session does not pay it", () =>
    Effect.gen(function* () {
      const { author, payer, postId } = yield* sale
      yield* payer.pay(author.wallet.account, 25n * 10n ** 28n)
      yield* TestClock.adjust("1 hour")
      const { accessToken } = yield* signIn(54)
      const session = yield* sessionOf({ kind: "purchase", postId }, accessToken)
      yield* session.saySent()
      yield* lookSoon
      assert.strictEqual((yield* session.now).state, "open")
    })
  )

  it.effect("A block that already pays for something else is not looked at again", () =>
    Effect.gen(function* () {
      const memory = yield* NanoLedgerMemory
      const { author, payer, postId } = yield* sale
      const { accessToken } = yield* signIn(55)
      const session = yield* sessionOf({ kind: "purchase", postId }, accessToken)
      const { hash } = yield* payer.pay(session.payTo, session.base)
      yield* TestClock.adjust("1 second")
      yield* session.saySent()
      const sql = yield* SqlClient.SqlClient
      const bytes = (text: string) => sql`decode(${text}, 'hex')`
      yield* sql`
        insert into settlements (id, kind, channel, state, post_id, recipient_id, block_hash, previous, payer_key, pay_to_key,
          pay_to_role, payout_revision, amount_raw, base_raw, created_at, settled_at)
        select ${session.sessionId}, 'tip', 'x402', 'settled', id, owner_id, ${bytes(hash)}, ${bytes(hash)},
          ${bytes(payer.key)}, ${bytes(payer.key)}, 'author', 1, 1, 1, created_at, created_at from posts where id = ${postId}`
      const before = yield* memory.calls("block")
      yield* lookSoon
      yield* lookSoon
      assert.deepStrictEqual(
        [(yield* session.now).state, (yield* memory.calls("block")) - before],
        ["open", 0]
      )
      assert.strictEqual(session.payTo, author.wallet.account)
    })
  )

  it.effect("A ledger outage loses no payment and expires no session for good", () =>
    Effect.gen(function* () {
      const memory = yield* NanoLedgerMemory
      const { buy, payer } = yield* sale
      const session = yield* buy
      yield* payer.pay(session.payTo, session.amount)
      yield* memory.setAway(true)
      yield* lookSoon
      assert.strictEqual(yield* lookAfter("9 seconds"), 0)
      for (const wait of ["1 second", "24 hours", "1 hour"] as const) yield* lookAfter(wait)
      assert.strictEqual((yield* session.now).state, "expired")
      yield* memory.setAway(false)
      // The ledger takes the block for one of now.
      yield* lookAfter("10 seconds")
      assert.deepStrictEqual([(yield* session.now).state, (yield* session.now).late], ["paid", false])
    })
  )
})
