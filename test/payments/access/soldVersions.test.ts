import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { idOf } from "../../publishing/uploads/screenings.ts"
import { access, buyerOf, inTime } from "../../support/actors/buyer.ts"
import { carryOn } from "../../support/actors/carryOn.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { type Uploader, uploaderOf, workOff, zipFile } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { soak } from "../../support/soak.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { begin, lookAfter, lookSoon, sessionOf } from "../sessions/sessionWorld.ts"
import { versionSha256 } from "../version.ts"
import { download, type Offer, part, sha256 } from "./downloading.ts"
import { paidPost, SECRET } from "./paidPost.ts"

const FREE = "A *free* taste."

/** The version that every buyer of these tests accepts. */
const accepted = { title: paidPost.title, free: FREE, paid: SECRET }

const offered = Effect.fnUntraced(function* (author: Uploader) {
  const draft = yield* author.draft({ ...paidPost, freeContentMarkdown: FREE })
  const sent = yield* author.attach(draft, { parts: [part] })
  yield* workOff
  const { body } = yield* author.publish(draft.id, `publish-${draft.id}`)
  const offer: Offer = { id: body.id, file: idOf(sent) }
  return offer
})

const digestOf = ({ file }: Offer) =>
  versionSha256({ ...accepted, files: [{ id: file, sha256: sha256.toString("hex") }] })

const done = (answer: TestAnswer) => assert.isBelow(answer.status, 300, answer.text)

type Change = (author: Uploader, offer: Offer) => Effect.Effect<unknown, unknown, any>

const edited =
  (patch: object): Change =>
  (author, { id }) =>
    Effect.map(author.patch(id, patch), done)

const detached: Change = (author, { file, id }) => Effect.map(author.detach(id, file), done)

/** Everything that an author can do to a Post once a payment for it was accepted. */
const changes: Readonly<Record<string, Change>> = {
  "another title": edited({ title: "Bait" }),
  "another free text": edited({ freeContentMarkdown: "Other words." }),
  "another paid text": edited({ paidContentMarkdown: "Nothing." }),
  "a file more": Effect.fnUntraced(function* (author, { id }) {
    const { body } = yield* author.read(id)
    done(yield* author.attach(body, { parts: [zipFile("more", "more.zip")] }))
    yield* workOff
  }),
  "a file less": detached,
  "the paywall off and no paid text": Effect.fnUntraced(function* (author, offer) {
    yield* detached(author, offer)
    yield* edited({ enablePaywall: false, paidContentMarkdown: null })(author, offer)
  }),
  "no publication": (author, { id }) => Effect.map(author.unpublish(id), done),
  "everything at once": Effect.fnUntraced(function* (author, offer) {
    yield* detached(author, offer)
    yield* edited({
      title: "Bait",
      freeContentMarkdown: "Other words.",
      paidContentMarkdown: "Nothing.",
      priceXno: "9"
    })(author, offer)
    done(yield* author.unpublish(offer.id))
  })
}

/** Checks that a buyer has exactly the version that was accepted, and that the author's books say the same. */
const hasVersion = Effect.fnUntraced(function* (author: Uploader, offer: Offer, receipt: string) {
  const client = yield* TestClient
  const digest = digestOf(offer)
  const sold = yield* access(offer.id, { receipt }, "GET", "?version=purchased")
  assert.strictEqual(sold.status, 200, sold.text)
  const { attachments, content, title, version, versionSha256: shown } = sold.body.post
  assert.deepStrictEqual({ title, ...content }, accepted)
  assert.deepStrictEqual([version, shown, sold.body.access.versionSha256], ["purchased", digest, digest])
  assert.deepStrictEqual(
    attachments.map(({ id }: any) => id),
    [offer.file]
  )
  assert.strictEqual(versionSha256({ title, ...content, files: attachments }), digest)

  // The current text names the file as well, and either way it can be downloaded.
  const current = yield* access(offer.id, { receipt })
  assert.include(
    current.body.post.attachments.map(({ id }: any) => id),
    offer.file
  )
  const file = yield* download(offer, { "x-purchase-receipt": receipt })
  assert.strictEqual(file.status, 200, file.text)

  const { purchaseId } = current.body.access
  const purchase = yield* client.send("GET", `/api/purchases/${purchaseId}`, {
    headers: { "x-purchase-receipt": receipt }
  })
  assert.strictEqual(purchase.body.versionSha256, digest, purchase.text)
  const read = (path: string) => client.send("GET", `/api/v1/finance/${path}`, { token: author.accessToken })
  const sale = yield* read(`sales/${purchaseId}`)
  assert.strictEqual(sale.body.versionSha256, digest, sale.text)
  assert.strictEqual(sale.body.title, accepted.title)
  const { snapshot } = sale.body
  assert.deepStrictEqual(
    [snapshot.title, snapshot.freeContentMarkdown, snapshot.paidContentMarkdown, snapshot.contentSha256],
    [accepted.title, FREE, SECRET, digest]
  )
  assert.lengthOf(snapshot.attachments, 1)
  const list = yield* read(`sales?postId=${offer.id}`)
  assert.deepStrictEqual(
    list.body.data.map((it: any) => it.versionSha256),
    [digest]
  )
  const csv = yield* read("export.csv")
  assert.include(csv.text, digest)
  const sql = yield* SqlClient.SqlClient
  const versions = yield* sql`
    select encode(sha256, 'hex') as digest from sold_versions where post_id = ${offer.id}`
  assert.deepStrictEqual(versions, [{ digest }])
})

layer(service(database("test_payments_sold_versions")))("the version that a buyer gets", (it) => {
  let number = 1

  for (const [what, change] of Object.entries(changes)) {
    it.effect(`A payment that was claimed buys what it paid for: ${what}`, () =>
      Effect.gen(function* () {
        yield* begin
        const { confirm, confirmAfter } = yield* NanoLedgerMemory
        const author = yield* uploaderOf(number++)
        const offer = yield* offered(author)
        const { block, payment, terms } = yield* (yield* buyerOf(100 + number++)).sign(offer.id)
        assert.strictEqual(terms.accepts[0].extra.versionSha256, digestOf(offer))
        yield* confirmAfter("never")
        const waiting = yield* inTime(access(offer.id, { payment }))
        assert.strictEqual(waiting.body.data.code, "settlement_pending", waiting.text)
        yield* Effect.orDie(change(author, offer))
        yield* confirmAfter(0)
        yield* confirm(blockHash(block))
        yield* carryOn
        // The answer was lost: the payer repeats the header.
        const answer = yield* access(offer.id, { payment })
        assert.strictEqual(answer.status, 200, answer.text)
        const { content, title } = answer.body.post
        assert.isTrue(answer.body.access.charged)
        assert.deepStrictEqual({ title, ...content }, accepted)
        assert.strictEqual(answer.body.post.versionSha256, digestOf(offer))
        assert.strictEqual(answer.body.access.versionSha256, digestOf(offer))
        yield* hasVersion(author, offer, answer.body.receipt.token)
      })
    )

    for (const [when, wait] of [
      ["in time", "2 seconds"],
      ["late", "16 minutes"],
      ["late, after it was cancelled", "cancelled"]
    ] as const)
      it.effect(`A checkout that is paid ${when} buys what it offered: ${what}`, () =>
        Effect.gen(function* () {
          yield* begin
          const author = yield* uploaderOf(number)
          const again = uploaderOf(number++)
          const offer = yield* offered(author)
          const payer = yield* payerOf(100 + number++)
          yield* payer.fund()
          const session = yield* sessionOf({ kind: "purchase", postId: offer.id })
          assert.strictEqual(session.versionSha256, digestOf(offer))
          yield* TestClock.adjust("1 second")
          yield* Effect.orDie(change(author, offer))
          yield* workOff
          if (wait === "cancelled") yield* session.cancel
          else yield* lookAfter(wait)
          yield* payer.pay(session.payTo, session.amount)
          yield* wait === "16 minutes" ? lookAfter("6 minutes") : lookSoon
          const { late, receipt, state } = yield* session.now
          assert.deepStrictEqual([state, late], ["paid", when !== "in time"])
          // Their sign-in ends meanwhile.
          yield* hasVersion(yield* again, offer, receipt.token)
        })
      )
  }

  it.effect("An author who edits on sight of each block sells each buyer what they paid for", () =>
    Effect.gen(function* () {
      yield* begin
      const { confirm, confirmAfter } = yield* NanoLedgerMemory
      const author = yield* uploaderOf(number++)
      const offer = yield* offered(author)
      const sold = yield* Effect.forEach(
        Array.from({ length: soak(3, 10) }, (_, nth) => nth),
        Effect.fnUntraced(function* (nth) {
          yield* edited({ paidContentMarkdown: `Gold ${nth}` })(author, offer)
          const { block, payment, terms } = yield* (yield* buyerOf(100 + number++)).sign(offer.id)
          yield* confirmAfter("never")
          yield* inTime(access(offer.id, { payment }))
          yield* edited({ paidContentMarkdown: "Dust" })(author, offer)
          yield* confirmAfter(0)
          yield* confirm(blockHash(block))
          yield* carryOn
          const { body } = yield* access(offer.id, { payment })
          const current = yield* access(offer.id, { payment }, "GET", "?version=current")
          assert.strictEqual(current.body.post.content.paid, "Dust")
          return [body.post.content.paid, body.access.versionSha256 === terms.accepts[0].extra.versionSha256]
        })
      )
      assert.deepStrictEqual(
        sold,
        sold.map((_, nth) => [`Gold ${nth}`, true])
      )
    })
  )

  it.effect("A payment for a tip has no version, and an equal version is one row", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const offer = yield* offered(author)
      const client = yield* TestClient
      const tip = yield* client.send("POST", `/api/posts/${offer.id}/tips`, { body: { amountXno: "0.1" } })
      assert.notProperty(tip.body.accepts[0].extra, "versionSha256")
      const session = yield* sessionOf({ kind: "tip", postId: offer.id, amountXno: "0.1" })
      assert.isNull(session.versionSha256)
      // Back and forth: the same version is for sale again.
      yield* (yield* buyerOf(100 + number++)).buy(offer.id)
      yield* edited({ title: "Bait" })(author, offer)
      yield* (yield* buyerOf(100 + number++)).buy(offer.id)
      yield* edited({ title: accepted.title })(author, offer)
      yield* (yield* buyerOf(100 + number++)).buy(offer.id)
      const sql = yield* SqlClient.SqlClient
      const sold = yield* sql`
        select v.title, (select count(*)::int from settlements s where s.post_id = v.post_id and s.version_sha256 = v.sha256) as sold
        from sold_versions v where v.post_id = ${offer.id} order by v.created_at`
      assert.deepStrictEqual(sold, [
        { title: accepted.title, sold: 2 },
        { title: "Bait", sold: 1 }
      ])
    })
  )
})
