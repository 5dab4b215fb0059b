import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as NanoLedgerOff from "../../../layers/nano/NanoLedgerOff.ts"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { base64Json, fromBase64, inTime, outcomeOf } from "../../support/actors/buyer.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { payerOf, wireBlock } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { twoServices } from "../../support/twoServices.ts"
import { begin } from "../sessions/sessionWorld.ts"

type Payer = Effect.Success<ReturnType<typeof payerOf>>

const HALF = `5${"0".repeat(29)}`

interface TipRequest {
  readonly amount?: string
  readonly payment?: string
  readonly token?: string
}

/** Asks for a tip, with a payment and a session if there are some. */
const ask = Effect.fnUntraced(function* (path: string, { amount = HALF, payment, token }: TipRequest = {}) {
  return yield* (yield* TestClient).send("POST", path, {
    body: { amountRaw: amount },
    ...(payment === undefined ? {} : { headers: { "payment-signature": payment } }),
    ...(token === undefined ? {} : { token })
  })
})

/** Asks for a tip, while time passes if there is a payment. */
const tip = (path: string, request: TipRequest = {}) =>
  request.payment === undefined ? ask(path, request) : inTime(ask(path, request))

/** Returns the first offer of a 402. */
const offerOf = (answer: TestAnswer) => {
  assert.strictEqual(answer.status, 402, answer.text)
  return fromBase64(answer.headers.get("payment-required")).accepts[0]
}

/** Signs the payment of an offer, of another amount if `amount` names one. */
const signed = Effect.fnUntraced(function* (
  payer: Payer,
  offer: { readonly payTo: string; readonly amount: string },
  amount = offer.amount
) {
  const block = yield* payer.send(NanoAddress.make(offer.payTo), BigInt(amount))
  return base64Json({ x402Version: 2, accepted: offer, payload: { block: wireBlock(block) } })
})

/** Tips as a client of x402 does, and returns the payment and its answer. */
const paid = Effect.fnUntraced(function* (payer: Payer, path: string, token?: string) {
  const withToken = token === undefined ? {} : { token }
  const payment = yield* signed(payer, offerOf(yield* tip(path, withToken)))
  return { payment, answer: yield* tip(path, { payment, ...withToken }) }
})

const world = Effect.gen(function* () {
  yield* begin
  const ada = yield* commenterOf(1)
  const bea = yield* commenterOf(2)
  const payer = yield* payerOf(3)
  yield* payer.fund()
  const { id: postId } = yield* ada.published()
  return { ada, bea, payer, postId: postId as string }
})

const tipsOf = Effect.fnUntraced(function* (column: "post_id" | "comment_id" | "recipient_id", id: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from tips where ${sql(column)} = ${id}`).length
})

layer(service(database("test_tipping")))("a tip by x402", (it) => {
  it.effect("A tip is paid once, its repeat is the same tip, and a new payment is another one", () =>
    Effect.gen(function* () {
      const { ada, payer, postId } = yield* world
      const path = `/api/posts/${postId}/tips`
      const { answer, payment } = yield* paid(payer, path)
      assert.strictEqual(answer.status, 200, answer.text)
      const { settlement, tip: given } = answer.body
      assert.deepStrictEqual(
        [given.amountRaw, given.target.postId, given.target.commentId, settlement.success, settlement.payer],
        [HALF, postId, null, true, payer.account]
      )
      assert.deepStrictEqual(outcomeOf(answer), settlement)
      assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
      assert.deepStrictEqual((yield* tip(path, { payment })).body, answer.body)
      const other = yield* paid(payer, path)
      assert.strictEqual(other.answer.status, 200)
      assert.notStrictEqual(other.answer.body.tip.id, given.id)
      assert.strictEqual(yield* tipsOf("post_id", postId), 2)
      // The payment has its tip, even if the Post is gone.
      yield* ada.unpublish(postId)
      assert.deepStrictEqual((yield* tip(path, { payment })).body, answer.body)
      assert.deepStrictEqual(refusalOf(yield* tip(path)), [404, "not_found"])
    })
  )

  it.effect("Terms of a tip name the Post as a preview, but a Profile has none", () =>
    Effect.gen(function* () {
      const { ada, bea, postId } = yield* world
      const { id: commentId } = yield* bea.say(postId, "Well said")
      const preview = `${BASE_URL}/api/posts/${postId}`
      for (const [path, expected] of [
        [`/api/posts/${postId}/tips`, preview],
        [`/api/comments/${commentId}/tips`, preview],
        [`/api/profile/${ada.handle}/tips`, null]
      ] as const) {
        const { body, status } = yield* tip(path)
        assert.deepStrictEqual([status, body.data.preview], [402, expected], path)
      }
    })
  )

  it.effect("A repeated tip to a Profile is the same after the handle has a new owner", () =>
    Effect.gen(function* () {
      const { bea, payer } = yield* world
      const cleo = yield* commenterOf(31)
      const sql = yield* SqlClient.SqlClient
      const path = `/api/profile/${cleo.handle}/tips`
      const { answer, payment } = yield* paid(payer, path)
      assert.strictEqual(answer.status, 200, answer.text)
      yield* sql`update owners set handle = 'cleo_now' where handle = ${cleo.handle}`
      assert.deepStrictEqual((yield* tip(path, { payment })).body, answer.body)
      yield* sql`update owners set handle = ${cleo.handle} where handle = ${bea.handle}`
      assert.deepStrictEqual((yield* tip(path, { payment })).body, answer.body)
      yield* sql`update owners set handle = ${bea.handle} where handle = ${cleo.handle}`
      assert.strictEqual(yield* tipsOf("recipient_id", answer.body.tip.target.profileId), 1)
    })
  )

  it.effect("Comments and Profiles take tips, which belong to the account that pays", () =>
    Effect.gen(function* () {
      const { ada, bea, payer, postId } = yield* world
      const reader = yield* readerOf(4)
      const { id: commentId } = yield* bea.say(postId, "Well said")
      const toComment = yield* paid(payer, `/api/comments/${commentId}/tips`, reader.accessToken)
      assert.strictEqual(toComment.answer.status, 200, toComment.answer.text)
      assert.strictEqual(toComment.answer.body.tip.target.commentId, commentId)
      assert.strictEqual(yield* tipsOf("comment_id", commentId), 1)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select buyer_id from tips where comment_id = ${commentId}`, [
        { buyer_id: reader.id }
      ])
      const toProfile = yield* paid(payer, `/api/profile/${ada.handle}/tips`)
      assert.strictEqual(toProfile.answer.status, 200, toProfile.answer.text)
      assert.strictEqual(yield* tipsOf("recipient_id", toProfile.answer.body.tip.target.profileId), 3)
    })
  )

  it.effect("A refused tip sends nothing, and gets fresh terms", () =>
    Effect.gen(function* () {
      const memory = yield* NanoLedgerMemory
      const { ada, bea, payer, postId } = yield* world
      const poor = yield* readerOf(5)
      const path = `/api/posts/${postId}/tips`
      const before = (yield* memory.published).length
      const offer = offerOf(yield* tip(path))
      const payment = yield* signed(payer, offer)
      const errorOf = (answer: TestAnswer) => {
        const { intentId } = offerOf(answer).extra
        assert.notStrictEqual(intentId, offer.extra.intentId)
        return outcomeOf(answer).errorReason
      }
      const short = yield* signed(payer, offer, String(BigInt(HALF) - 1n))
      assert.strictEqual(errorOf(yield* tip(path, { payment: short })), "amount_mismatch")
      const whole = `1${"0".repeat(30)}`
      assert.strictEqual(errorOf(yield* tip(path, { payment, amount: whole })), "requirements_changed")
      const elsewhere = `/api/profile/${bea.handle}/tips`
      assert.strictEqual(errorOf(yield* tip(elsewhere, { payment })), "requirements_mismatch")
      assert.deepStrictEqual(refusalOf(yield* tip(path, { payment: "?" })), [400, "invalid_payload"])
      assert.deepStrictEqual(refusalOf(yield* tip(path, { token: ada.accessToken })), [409, "own_target"])
      assert.deepStrictEqual(refusalOf(yield* tip(path, { payment, token: ada.accessToken })), [
        409,
        "own_target"
      ])
      assert.deepStrictEqual(refusalOf(yield* tip(`/api/profile/${poor.handle}/tips`)), [
        409,
        "tipping_unavailable"
      ])
      assert.deepStrictEqual(refusalOf(yield* tip("/api/profile/nobody_here/tips")), [404, "not_found"])
      assert.deepStrictEqual(refusalOf(yield* tip("/api/posts/x/tips")), [404, "not_found"])
      assert.deepStrictEqual(refusalOf(yield* tip(path, { amount: "1" })), [
        422,
        "validation",
        "amountRaw out_of_range"
      ])
      assert.strictEqual((yield* memory.published).length, before)
      yield* memory.setAway(true)
      assert.deepStrictEqual(refusalOf(yield* tip(path, { payment })), [503, "ledger_unavailable"])
      yield* memory.setAway(false)
      assert.strictEqual((yield* tip(path, { payment })).status, 200)
    })
  )
})

layer(twoServices("test_tipping_race"))("two processes", (it) => {
  it.effect("Two processes settle fifty requests with one payment once", () =>
    Effect.gen(function* () {
      const { payer, postId } = yield* world
      const path = `/api/posts/${postId}/tips`
      const payment = yield* signed(payer, offerOf(yield* tip(path)))
      const insisting = Effect.repeat(ask(path, { payment }), {
        while: ({ status }) => status === 503,
        schedule: Schedule.spaced("2 seconds")
      })
      const answers = yield* inTime(
        Effect.all(
          Array.from({ length: 50 }, () => insisting),
          { concurrency: "unbounded" }
        )
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
      assert.strictEqual(new Set(answers.map(({ body }) => body.tip.id)).size, 1)
      assert.strictEqual(yield* tipsOf("post_id", postId), 1)
    })
  )
})

layer(
  service(database("test_tipping_off"), 1, {
    changePorts: (ports) => Layer.provideMerge(NanoLedgerOff.layer("nano:mainnet", 0n), ports)
  })
)("a service without a ledger", (it) => {
  it.effect("A service without a ledger takes no tips", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* authorOf(1)
      const { id } = yield* author.published()
      assert.deepStrictEqual(refusalOf(yield* tip(`/api/posts/${id}/tips`)), [503, "payments_disabled"])
    })
  )
})
