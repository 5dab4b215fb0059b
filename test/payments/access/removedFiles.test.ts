import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { ObjectStorageMemory } from "../../../layers/testing/ObjectStorageMemory.ts"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { storedBytesOf } from "../../../src/publishing/storage/storedBytes.sql.ts"
import { Uploads } from "../../../src/publishing/uploads/Uploads.ts"
import { idOf } from "../../publishing/uploads/screenings.ts"
import { buyerOf, inTime } from "../../support/actors/buyer.ts"
import { carryOn } from "../../support/actors/carryOn.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { type Uploader, uploaderOf, workOff, zipFile } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { changedMeanwhile } from "../../support/deletedMeanwhile.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { gift, readWith, redeem, revoke } from "../gifts/giving.ts"
import { begin, lookAfter, lookSoon, sessionOf } from "../sessions/sessionWorld.ts"
import { download, type Offer, offered, part } from "./downloading.ts"
import { paidPost } from "./paidPost.ts"

/** Returns the remains of a file: its row, its object, and the bytes that its author stores in ZIPs. */
const leftOf = Effect.fnUntraced(function* ({ file, id }: Offer) {
  const sql = yield* SqlClient.SqlClient
  const { objects } = yield* ObjectStorageMemory
  const rows = yield* sql`select from post_attachments where id = ${file}`
  const [stored] = yield* sql<{ readonly bytes: number }>`
    select ${storedBytesOf(sql, sql`p.owner_id`)}
      - octet_length(concat(title, description, free_content_markdown, paid_content_markdown)) as bytes
    from posts p where id = ${id}`
  const keys = [...(yield* objects).keys()]
  const hasObject = keys.some((key) => key === `attachments/${id}/${file}.zip`)
  return [rows.length, hasObject, stored?.bytes]
})

const gone = [0, false, 0]
const whole = [1, true, part.content.length]

const detached = Effect.fnUntraced(function* (author: Uploader, offer: Offer) {
  assert.strictEqual((yield* author.detach(offer.id, offer.file)).status, 200)
})

const second = TestClock.adjust("1 second")

const DATABASE = "test_payments_removed_files"

layer(service(database(DATABASE)))("a ready file that its author takes off the Post (6.1)", (it) => {
  it.effect("A removed file goes with its bytes when no reader could get it any more", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(1)
      const draft = yield* author.draft(paidPost)
      yield* author.publish(draft.id, "publish-1")
      // Those who bought the Post, or were given it, before the file was there, have no part in it.
      yield* (yield* buyerOf(2)).buy(draft.id)
      const before = yield* gift(author, draft.id)
      yield* readWith(draft.id, before.token, "before")
      yield* sessionOf({ kind: "purchase", postId: draft.id })
      yield* second
      const sent = yield* author.attach((yield* author.read(draft.id)).body, { parts: [part] })
      yield* workOff
      const offer: Offer = { id: draft.id, file: idOf(sent) }
      // A gift that was revoked, a session for a tip, and a gift without readers entitle to nothing, either.
      const revoked = yield* gift(author, draft.id)
      yield* redeem((yield* readerOf(3)).accessToken, revoked.token)
      yield* revoke(author, revoked.id, "revoke")
      yield* gift(author, draft.id)
      yield* sessionOf({ kind: "tip", postId: draft.id, amountXno: "0.1" })
      assert.deepStrictEqual(yield* leftOf(offer), whole)

      const { updatedAt } = (yield* author.read(draft.id)).body
      yield* detached(author, offer)
      const after = (yield* author.read(draft.id)).body
      assert.deepStrictEqual(after.attachments, [])
      assert.isAbove(Date.parse(after.updatedAt), Date.parse(updatedAt) - 1)
      assert.notStrictEqual(after.updatedAt, updatedAt)
      assert.deepStrictEqual((yield* leftOf(offer)).slice(0, 1), [0])
      yield* workOff
      assert.deepStrictEqual(yield* leftOf(offer), gone)
      assert.strictEqual((yield* author.status(sent)).body.attachment, null)

      // Its name is free, and the same request once more changes nothing of the file that has it now.
      const again = yield* author.attach(after, { parts: [part] })
      yield* workOff
      yield* detached(author, offer)
      yield* workOff
      assert.deepStrictEqual(yield* leftOf({ ...offer, file: idOf(again) }), whole)
    })
  )

  const entitlements: Readonly<
    Record<string, (author: Uploader, offer: Offer) => Effect.Effect<unknown, unknown, any>>
  > = {
    "a buyer": (_, { id }) => Effect.flatMap(buyerOf(20), (buyer) => buyer.buy(id)),
    "a buyer to whom the money was sent back": Effect.fnUntraced(function* (author, { id }) {
      const { answer } = yield* (yield* buyerOf(21)).buy(id)
      const { purchaseId } = answer.body.receipt
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into refunds (id, settlement_id, owner_id, amount_raw, block_hash, created_at)
        select gen_random_uuid(), s.id, s.recipient_id, s.amount_raw, sha256(s.block_hash), s.settled_at
        from settlements s where s.id = ${purchaseId}`
      assert.isString(author.handle)
    }),
    "a payment that waits for the ledger": Effect.fnUntraced(function* (_, { id }) {
      const { confirmAfter } = yield* NanoLedgerMemory
      const { payment } = yield* (yield* buyerOf(22)).sign(id)
      yield* confirmAfter("never")
      yield* inTime(
        Effect.flatMap(TestClient, (client) =>
          client.send("GET", `/api/posts/${id}/access`, { headers: { "payment-signature": payment } })
        )
      )
      yield* confirmAfter(0)
    }),
    "a payment session that is open": (_, { id }) => sessionOf({ kind: "purchase", postId: id }),
    "a reader of a gift": Effect.fnUntraced(function* (author, { id }) {
      const { token } = yield* gift(author, id)
      yield* readWith(id, token, "anonymous")
    })
  }
  let number = 30
  for (const [what, entitle] of Object.entries(entitlements))
    it.effect(`A removed file stays for ${what}`, () =>
      Effect.gen(function* () {
        yield* begin
        const author = yield* uploaderOf(number++)
        const offer = yield* offered(author)
        yield* second
        yield* Effect.orDie(entitle(author, offer))
        yield* detached(author, offer)
        yield* workOff
        assert.deepStrictEqual(yield* leftOf(offer), whole)
        assert.deepStrictEqual((yield* author.read(offer.id)).body.attachments, [])
      })
    )

  it.effect("A file goes when it is removed again after the last reader lost it", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const offer = yield* offered(author)
      yield* second
      yield* sessionOf({ kind: "purchase", postId: offer.id })
      const given = yield* gift(author, offer.id)
      yield* readWith(offer.id, given.token, "anonymous")
      yield* detached(author, offer)
      yield* revoke(author, given.id, "revoke")
      yield* detached(author, offer)
      yield* workOff
      assert.deepStrictEqual(yield* leftOf(offer), whole)
      // The session was not paid, and takes no late payment any more.
      yield* lookAfter("25 hours")
      yield* detached(author, offer)
      yield* workOff
      assert.deepStrictEqual(yield* leftOf(offer), gone)
      const { updatedAt } = (yield* author.read(offer.id)).body
      yield* detached(author, offer)
      yield* workOff
      assert.strictEqual((yield* author.read(offer.id)).body.updatedAt, updatedAt)
    })
  )

  it.effect("A removed file stays while a payment session that offered it may be paid late", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const payer = yield* payerOf(40)
      yield* payer.fund()
      const cancelled = yield* offered(author)
      yield* second
      const session = yield* sessionOf({ kind: "purchase", postId: cancelled.id })
      yield* session.cancel
      yield* second
      yield* detached(author, cancelled)
      yield* workOff
      assert.deepStrictEqual(yield* leftOf(cancelled), whole)
      yield* payer.pay(session.payTo, session.amount)
      yield* lookSoon
      const { receipt, state } = yield* session.now
      assert.strictEqual(state, "paid")
      const late = yield* download(cancelled, { "x-purchase-receipt": receipt.token })
      assert.strictEqual(late.status, 200)

      const expired = yield* offered(author)
      yield* second
      yield* sessionOf({ kind: "purchase", postId: expired.id })
      yield* lookAfter("16 minutes")
      yield* detached(author, expired)
      yield* workOff
      assert.deepStrictEqual((yield* leftOf(expired)).slice(0, 2), [1, true])
      yield* lookAfter("24 hours")
      yield* (yield* Uploads).sweep
      yield* workOff
      assert.deepStrictEqual((yield* leftOf(expired)).slice(0, 2), [0, false])
    })
  )

  it.effect("A removed file goes when the last open session has closed", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const { sweep } = yield* Uploads
      const offer = yield* offered(author)
      yield* second
      const session = yield* sessionOf({ kind: "purchase", postId: offer.id })
      yield* second
      yield* detached(author, offer)
      yield* session.cancel
      yield* lookAfter("24 hours")
      yield* sweep
      yield* workOff
      assert.deepStrictEqual(yield* leftOf(offer), whole)
      yield* lookAfter("1 hour")
      yield* sweep
      yield* workOff
      assert.deepStrictEqual(yield* leftOf(offer), gone)
    })
  )

  it.effect("A removed file goes within a day after its gift was revoked, and stays for a buyer", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const { sweep } = yield* Uploads
      const [given, bought] = [yield* offered(author), yield* offered(author)]
      yield* second
      const { id, token } = yield* gift(author, given.id)
      yield* readWith(given.id, token, "anonymous")
      yield* (yield* buyerOf(41)).buy(bought.id)
      yield* second
      yield* detached(author, given)
      yield* detached(author, bought)
      yield* revoke(author, id, "revoke")
      yield* lookAfter("25 hours")
      yield* sweep
      yield* workOff
      assert.deepStrictEqual((yield* leftOf(given)).slice(0, 2), [0, false])
      assert.deepStrictEqual((yield* leftOf(bought)).slice(0, 2), [1, true])
    })
  )

  it.effect("A removed file stays for a payment claimed by a process whose clock is ahead", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const offer = yield* offered(author)
      const { confirm, confirmAfter } = yield* NanoLedgerMemory
      const { block, payment } = yield* (yield* buyerOf(42)).sign(offer.id)
      yield* confirmAfter("never")
      const headers = { "payment-signature": payment }
      yield* inTime(download(offer, headers))
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        update settlements set created_at = created_at + interval '1 minute' where post_id = ${offer.id}`
      yield* detached(author, offer)
      yield* workOff
      yield* confirmAfter(0)
      yield* confirm(blockHash(block))
      yield* carryOn
      assert.strictEqual((yield* download(offer, headers)).status, 200)
    })
  )

  it.effect("A file stays when a gift is redeemed at the moment of its removal", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const offer = yield* offered(author)
      const { id } = yield* gift(author, offer.id)
      yield* changedMeanwhile(
        DATABASE,
        [
          `select from posts where id = '${offer.id}' for key share`,
          `insert into gift_redemptions (id, gift_id, post_id, created_at)
            select gen_random_uuid(), g.id, g.post_id, now() from gifts g where g.id = '${id}'`
        ],
        detached(author, offer)
      )
      yield* workOff
      assert.deepStrictEqual((yield* leftOf(offer)).slice(0, 2), [1, true])
    })
  )

  /** Removes a file as another process does, in a transaction that is not over when the request comes. */
  const removal = ({ file, id }: Offer) => [
    `select from posts where id = '${id}' for update`,
    `delete from post_attachments where id = '${file}'`,
    `update posts set updated_at = updated_at + interval '1 microsecond', version_files = '[]' where id = '${id}'`
  ]

  it.effect("A payment that waited for the removal of a file does not buy it", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const offer = yield* offered(author)
      const { accessToken: token } = yield* readerOf(23)
      const { hash } = yield* (yield* buyerOf(23)).pay(author.wallet.account, RAW_PER_XNO)
      const client = yield* TestClient
      const claimed = yield* changedMeanwhile(
        DATABASE,
        removal(offer),
        client.send("POST", "/api/v1/purchases/claims", {
          token,
          body: { postId: offer.id, blockHash: hash }
        })
      )
      assert.strictEqual(claimed.status, 201, claimed.text)
      const sql = yield* SqlClient.SqlClient
      const sold = yield* sql`select attachments from sold_versions where post_id = ${offer.id}`
      assert.deepStrictEqual(sold, [{ attachments: [] }])
    })
  )

  it.effect("A redemption that waited for the removal of a file does not give it", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const offer = yield* offered(author)
      const { token } = yield* gift(author, offer.id)
      const opened = yield* changedMeanwhile(DATABASE, removal(offer), readWith(offer.id, token, "waiting"))
      assert.strictEqual(opened.status, 200, opened.text)
      assert.deepStrictEqual(opened.body.post.attachments, [])
      const receipt = { "x-purchase-receipt": opened.body.receipt.token as string }
      assert.strictEqual((yield* download(offer, receipt)).status, 404)
    })
  )
})

layer(service(database("test_payments_removed_post")))("a Post that is deleted (6.1)", (it) => {
  it.effect("A deleted Post takes the bytes of every file with it, also of removed ones", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const { objects } = yield* ObjectStorageMemory
      const draft = yield* author.draft(paidPost)
      const first = yield* author.attach(draft, { parts: [zipFile("a", "a.zip")] })
      yield* author.attach((yield* author.read(draft.id)).body, { parts: [zipFile("b", "b.zip")] })
      yield* workOff
      yield* detached(author, { id: draft.id, file: idOf(first) })
      // The removal of the file and of its Post may meet before the file is cleaned up.
      assert.strictEqual((yield* author.remove(draft.id)).status, 204)
      yield* workOff
      assert.deepStrictEqual([...(yield* objects).keys()], [])
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from upload_operations where next_task is not null`, 0)
    })
  )
})
