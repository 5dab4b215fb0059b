import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { UploadAdministration } from "../../../src/publishing/uploads/UploadAdministration.ts"
import { administrator, idOf } from "../../publishing/uploads/screenings.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { access, base64Json, buyerOf, fromBase64, inTime, payloadOf } from "../../support/actors/buyer.ts"
import { carryOn } from "../../support/actors/carryOn.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { type Uploader, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { gift, readWith, redeem, revoke } from "../gifts/giving.ts"
import { begin, lookSoon, sessionOf } from "../sessions/sessionWorld.ts"
import { codeOf, download, type Offer, offered, part } from "./downloading.ts"
import { paidPost } from "./paidPost.ts"

/** Takes a file off its Post. A second passes on each side, as it does between people. */
const takeOff = Effect.fnUntraced(function* (author: Uploader, offer: Offer) {
  yield* TestClock.adjust("1 second")
  assert.strictEqual((yield* author.detach(offer.id, offer.file)).status, 200)
  yield* workOff
  yield* TestClock.adjust("1 second")
})

layer(service(database("test_payments_kept_files"), 1, { adminToken: ADMIN_TOKEN }))(
  "a file that left its Post (6.1)",
  (it) => {
    it.effect("Readers who redeemed a gift before keep the file, until their gift is revoked", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const offer = yield* offered(author)
        const given = yield* gift(author, offer.id, { maxRedemptions: 3 })
        const { accessToken: token } = yield* readerOf(2)
        yield* redeem(token, given.token)
        const anonymous = { "x-gift-token": given.token, "idempotency-key": "a-reader" }
        const receipt = (yield* readWith(offer.id, given.token, "a-reader")).body.receipt.token as string
        yield* takeOff(author, offer)

        assert.strictEqual((yield* download(offer, {}, { token })).status, 200)
        assert.strictEqual((yield* download(offer, anonymous)).status, 200)
        assert.strictEqual((yield* download(offer, { "x-purchase-receipt": receipt })).status, 200)
        assert.deepStrictEqual((yield* access(offer.id, { token })).body.post.attachments, [])
        yield* author.unpublish(offer.id)
        assert.strictEqual((yield* download(offer, {}, { token })).status, 200)
        yield* author.publish(offer.id, "again")

        yield* revoke(author, given.id, "revoke")
        assert.strictEqual((yield* download(offer, {}, { token })).status, 404)
        assert.deepStrictEqual(codeOf(yield* download(offer, { "x-purchase-receipt": receipt })), [
          403,
          "receipt_invalid"
        ])
      })
    )

    it.effect("Readers who redeem a gift later do not get the file, and their gift stays unused", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(3)
        const offer = yield* offered(author)
        const { token: gifted } = yield* gift(author, offer.id)
        yield* takeOff(author, offer)
        const late = yield* download(offer, { "x-gift-token": gifted, "idempotency-key": "late" })
        assert.deepStrictEqual(codeOf(late), [404, "not_found"])
        const { accessToken: token } = yield* readerOf(4)
        assert.strictEqual((yield* redeem(token, gifted)).status, 200)
        assert.deepStrictEqual(codeOf(yield* download(offer, {}, { token })), [404, "not_found"])
        // Nor is a file that came and went after they redeemed it.
        yield* TestClock.adjust("1 second")
        const sent = yield* author.attach((yield* author.read(offer.id)).body, { parts: [part] })
        yield* workOff
        const later = { ...offer, file: idOf(sent) }
        assert.strictEqual((yield* download(later, {}, { token })).status, 200)
        yield* takeOff(author, later)
        assert.deepStrictEqual(codeOf(yield* download(later, {}, { token })), [404, "not_found"])
      })
    )

    it.effect("A buyer keeps the file by account, wallet, receipt and payment, even of a free Post", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(5)
        const offer = yield* offered(author)
        const { accessToken: token } = yield* readerOf(6)
        const { answer, payment } = yield* (yield* buyerOf(7)).buy(offer.id, { token })
        const receipt = { "x-purchase-receipt": answer.body.receipt.token as string }
        yield* takeOff(author, offer)
        assert.strictEqual((yield* author.patch(offer.id, { enablePaywall: false })).status, 200)
        const owned = [
          yield* download(offer, {}, { token }),
          yield* download(offer, receipt),
          yield* download(offer, { "payment-signature": payment })
        ]
        assert.deepStrictEqual(
          owned.map(({ status }) => status),
          [200, 200, 200]
        )
        // It is free to read, and a file that is off it is not.
        assert.deepStrictEqual(codeOf(yield* download(offer)), [404, "not_found"])
        const by = { token: author.accessToken }
        assert.deepStrictEqual(codeOf(yield* download(offer, {}, by)), [404, "not_found"])
      })
    )

    it.effect("A buyer whose payment was being settled when the file left keeps it", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(8)
        const offer = yield* offered(author)
        const { confirm, confirmAfter } = yield* NanoLedgerMemory
        const { block, payment } = yield* (yield* buyerOf(9)).sign(offer.id)
        yield* confirmAfter("never")
        const headers = { "payment-signature": payment }
        const waiting = yield* inTime(download(offer, headers))
        assert.deepStrictEqual(codeOf(waiting), [503, "settlement_pending"])
        yield* takeOff(author, offer)
        yield* confirmAfter(0)
        yield* confirm(blockHash(block))
        yield* carryOn

        const bought = yield* download(offer, headers)
        assert.strictEqual(bought.status, 200, bought.text)
        const { body } = yield* access(offer.id, { payment })
        const receipt = { "x-purchase-receipt": body.receipt.token as string }
        assert.strictEqual((yield* download(offer, receipt)).status, 200)
      })
    )
  }
)

layer(service(database("test_payments_kept_sessions"), 1, { adminToken: ADMIN_TOKEN }))(
  "a file that left its Post before a payment session is paid (3, 6.1)",
  (it) => {
    it.effect("A session from before the removal buys the file, and a later one does not", () =>
      Effect.gen(function* () {
        yield* begin
        const author = yield* uploaderOf(1)
        const offer = yield* offered(author)
        const payer = yield* payerOf(2)
        yield* payer.fund()
        const early = yield* sessionOf({ kind: "purchase", postId: offer.id })
        yield* takeOff(author, offer)
        const late = yield* sessionOf({ kind: "purchase", postId: offer.id })
        const got: Array<number> = []
        for (const session of [early, late]) {
          yield* payer.pay(session.payTo, session.amount)
          yield* lookSoon
          const { receipt } = yield* session.now
          got.push((yield* download(offer, { "x-purchase-receipt": receipt.token })).status)
        }
        assert.deepStrictEqual(got, [200, 404])
      })
    )
  }
)

layer(service(database("test_payments_no_file"), 1, { adminToken: ADMIN_TOKEN }))(
  "a file that a buyer would not get (6.1, 6.3)",
  (it) => {
    it.effect("A missing file is not sold, and a payment for it is not sent", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const offer = yield* offered(author)
        const { published } = yield* NanoLedgerMemory
        const buyer = yield* buyerOf(2)
        const terms = fromBase64((yield* download(offer)).headers.get("payment-required"))
        const [{ amount, payTo }] = terms.accepts
        const block = yield* buyer.send(NanoAddress.make(payTo), BigInt(amount))
        const payment = base64Json(payloadOf(terms, block))
        yield* takeOff(author, offer)

        const unknown = { ...offer, file: "00000000-0000-7000-8000-000000000000" }
        for (const file of [offer, unknown]) {
          assert.deepStrictEqual(codeOf(yield* download(file)), [404, "not_found"])
          assert.strictEqual((yield* download(file, {}, {}, "HEAD")).status, 404)
        }
        const before = (yield* published).length
        const refused = yield* inTime(download(offer, { "payment-signature": payment }))
        assert.deepStrictEqual(codeOf(refused), [402, "requirements_changed"])
        assert.strictEqual(fromBase64(refused.headers.get("payment-response")).success, false)
        assert.strictEqual((yield* published).length, before)
        // The same block still buys the Post.
        const text = base64Json(payloadOf(terms, block, { resource: undefined }))
        const bought = yield* inTime(access(offer.id, { payment: text }))
        assert.strictEqual(bought.body.access?.via, "payment", bought.text)
      })
    )

    it.effect("A file that is screened or held is not sold, and uses up no gift", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(3)
        const draft = yield* author.draft(paidPost)
        const sent = yield* author.attach(draft, { parts: [part] })
        const { body } = yield* author.publish(draft.id, "publish-3")
        const offer = { id: body.id as string, file: idOf(sent) }
        const { token: gifted } = yield* gift(author, offer.id)
        const withGift = { "x-gift-token": gifted, "idempotency-key": "one" }
        const assertPending = Effect.gen(function* () {
          for (const headers of [{}, withGift]) {
            const pending = yield* download(offer, headers)
            assert.deepStrictEqual(codeOf(pending), [409, "attachment_pending"])
            assert.strictEqual(pending.headers.get("retry-after"), String(pending.body.data.retryAfter))
          }
        })
        yield* assertPending
        yield* workOff
        assert.deepStrictEqual(codeOf(yield* download(offer)), [402, "payment_required"])
        const administration = yield* UploadAdministration
        const id = UploadOperationId.make(offer.file)
        yield* administration.hold(yield* administrator, id)
        yield* assertPending
        const client = yield* TestClient
        const listed = (yield* client.send("GET", `/api/posts/${offer.id}/attachments`)).body.data
        assert.strictEqual(listed[0].state, "pending")
        yield* administration.release(yield* administrator, id)
        assert.strictEqual((yield* download(offer, withGift)).status, 200)
      })
    )
  }
)
