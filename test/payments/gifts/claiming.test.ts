import { assert, it as alone, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Author, authorOf } from "../../support/actors/author.ts"
import { access, buyerOf } from "../../support/actors/buyer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { changedMeanwhile } from "../../support/deletedMeanwhile.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { paidPost, SECRET } from "../access/paidPost.ts"
import { claim, gift, list, readWith, redeem, revoke, seen } from "./giving.ts"
import { race, reasons, times } from "./racing.ts"

const refusalOf = ({ body, status }: TestAnswer) => [status, body.data?.code]

/** A gift that was opened without an account, with its receipt. */
const opened = Effect.fnUntraced(function* (author: Author, maxRedemptions = 1) {
  const { id: postId } = yield* author.published(paidPost)
  const given = yield* gift(author, postId, { maxRedemptions })
  const { body } = yield* readWith(postId, given.token, "opening")
  const receipt: string = body.receipt.token
  return { postId: postId as string, receipt, ...given }
})

layer(service(database("test_gifts_claiming")))("the receipt of a gift", (it) => {
  it.effect("A receipt is taken into one account, whose session then reads the Post", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { postId, receipt, token } = yield* opened(author)
      const reader = yield* readerOf(2)
      assert.strictEqual((yield* access(postId, { token: reader.accessToken })).status, 402)
      const answers = []
      for (let i = 0; i < 2; i++) answers.push(yield* claim(reader.accessToken, receipt))
      const [claimed] = answers
      assert.strictEqual(claimed!.status, 200, claimed!.text)
      assert.deepStrictEqual([claimed!.body.postId, claimed!.body.via], [postId, "gift"])
      assert.strictEqual(answers[1]!.text, claimed!.text)
      const read = yield* access(postId, { token: reader.accessToken })
      assert.deepStrictEqual(seen(read), [200, "gift"])
      assert.strictEqual(read.body.post.content.paid, SECRET)

      const stranger = yield* readerOf(3)
      assert.deepStrictEqual(refusalOf(yield* claim(stranger.accessToken, receipt)), [409, "already_owned"])
      assert.strictEqual((yield* access(postId, { token: stranger.accessToken })).status, 402)
      // The receipt, the repeat of the opening, and the link itself have the outcome that they had.
      assert.deepStrictEqual(seen(yield* access(postId, { receipt })), [200, "gift"])
      const repeated = yield* readWith(postId, token, "opening")
      assert.deepStrictEqual([...seen(repeated), repeated.body.receipt.token], [200, "gift", receipt])
      assert.strictEqual((yield* redeem(reader.accessToken, token)).text, claimed!.text)
      const [shown] = (yield* list(author)).body.data
      assert.deepStrictEqual([shown.redemptions, shown.state], [1, "exhausted"])
      // It is no purchase.
      const client = yield* TestClient
      const bought = yield* client.send("GET", "/api/v1/purchases", { token: reader.accessToken })
      assert.lengthOf(bought.body.data, 0)
      const asPurchase = yield* client.send("POST", "/api/v1/purchases/claims", {
        token: reader.accessToken,
        body: { receiptToken: receipt }
      })
      assert.deepStrictEqual(refusalOf(asPurchase), [403, "receipt_invalid"])
    })
  )

  it.effect("A receipt of an opening without a name can also be taken", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const { id: postId } = yield* author.published(paidPost)
      const { token } = yield* gift(author, postId)
      const { body } = yield* readWith(postId, token)
      const { accessToken } = yield* readerOf(6)
      assert.strictEqual((yield* claim(accessToken, body.receipt.token)).status, 200)
      assert.deepStrictEqual(seen(yield* access(postId, { token: accessToken })), [200, "gift"])
    })
  )

  it.effect(
    "A receipt outlives an ended gift, a withdrawal and a free Post, but not the end of its access",
    () =>
      Effect.gen(function* () {
        const author = yield* authorOf(10)
        const { id, postId, receipt } = yield* opened(author, 3)
        const [first, second] = [yield* readerOf(11), yield* readerOf(12)]
        const other = yield* readWith(postId, (yield* gift(author, postId)).token, "other")
        yield* revoke(author, id)
        yield* author.unpublish(postId)
        assert.strictEqual((yield* claim(first.accessToken, receipt)).status, 200)
        assert.deepStrictEqual(seen(yield* access(postId, { token: first.accessToken })), [200, "gift"])
        yield* author.publish(postId, "again")
        yield* author.patch(postId, { enablePaywall: false })
        assert.strictEqual((yield* claim(second.accessToken, other.body.receipt.token)).status, 200)
        yield* author.patch(postId, { enablePaywall: true, priceXno: "0.5" })
        assert.deepStrictEqual(seen(yield* access(postId, { token: second.accessToken })), [200, "gift"])

        const ended = yield* revoke(author, id, "revoke")
        assert.isNotNull(ended.body.accessEndedAt)
        assert.strictEqual((yield* access(postId, { token: first.accessToken })).status, 402)
        for (const { accessToken } of [first, second])
          assert.deepStrictEqual(refusalOf(yield* claim(accessToken, receipt)), [403, "receipt_invalid"])
        // The other gift is not ended. An account takes several, so that the end of one leaves it the rest.
        assert.strictEqual((yield* access(postId, { token: second.accessToken })).status, 200)
      })
  )

  it.effect("A receipt is not used up by its author, a buyer, or a reader of the same gift", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(20)
      const { postId, receipt, token } = yield* opened(author, 3)
      const buyer = yield* readerOf(21)
      yield* (yield* buyerOf(22)).buy(postId, { token: buyer.accessToken })
      const byWallet = yield* readerOf(23)
      yield* (yield* buyerOf(23)).buy(postId)
      const reader = yield* readerOf(24)
      yield* redeem(reader.accessToken, token)
      for (const { accessToken } of [author, buyer, byWallet, reader]) {
        const refused = yield* claim(accessToken, receipt)
        assert.deepStrictEqual(refusalOf(refused), [409, "already_owned"])
        assert.include(refused.body.message, "The receipt still gives access")
      }
      const free = yield* readerOf(25)
      assert.strictEqual((yield* claim(free.accessToken, receipt)).status, 200)
    })
  )

  it.effect("An account that is just redeeming the same gift does not take its receipt", () =>
    Effect.gen(function* () {
      const { id, postId, receipt } = yield* opened(yield* authorOf(27), 3)
      const reader = yield* readerOf(28)
      const redeemed = `
        insert into gift_redemptions (id, gift_id, post_id, reader_id, created_at)
        values ('00000000-0000-4000-8000-000000000001', '${id}', '${postId}', '${reader.id}', 'epoch')`
      const refused = yield* changedMeanwhile(
        "test_gifts_claiming",
        [redeemed],
        claim(reader.accessToken, receipt)
      )
      assert.deepStrictEqual(refusalOf(refused), [409, "already_owned"])
    })
  )

  it.effect("Other texts and receipts of a purchase are refused, and so is a Publishing key", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(30)
      const { postId, receipt, token } = yield* opened(author)
      const { answer } = yield* (yield* buyerOf(31)).buy(postId)
      const { accessToken } = yield* readerOf(32)
      for (const wrong of [
        "",
        "ppr_",
        token,
        `${receipt} `,
        receipt.toUpperCase(),
        `${receipt.slice(0, -1)}${receipt.endsWith("0") ? "1" : "0"}`,
        answer.body.receipt.token,
        "' or 1=1 --",
        "\u0000"
      ])
        assert.include([403, 422], (yield* claim(accessToken, wrong)).status, wrong)
      for (const wrong of [null, 7, [receipt], "x".repeat(201)])
        assert.strictEqual((yield* claim(accessToken, wrong)).status, 422)
      assert.strictEqual((yield* claim(author.key, receipt)).status, 401)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update access_receipts set revoked_at = created_at where redemption_id is not null and post_id = ${postId}`
      assert.deepStrictEqual(refusalOf(yield* claim(accessToken, receipt)), [403, "receipt_invalid"])
    })
  )
})

alone.effect(
  "Claims that race in two processes have one outcome",
  () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_gifts_claim_races")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const readers = yield* Effect.forEach(
          times(4, (n) => n + 2),
          readerOf
        )
        const author = yield* authorOf(1)
        for (let round = 0; round < 4; round++) {
          const { postId, receipt, token } = yield* opened(author, 2)
          // Four accounts, each four times.
          const answers = yield* race(
            processes,
            times(16, (n) => claim(readers[n % 4]!.accessToken, receipt))
          )
          assert.deepStrictEqual(reasons(answers), { "200": 4, "409 already_owned": 12 })
          const [winner] = [...answers.entries()].find(([, { status }]) => status === 200)!
          for (const [number, { status }] of answers.entries())
            assert.strictEqual(status === 200, number % 4 === winner % 4)
          for (const [number, { accessToken }] of readers.entries())
            assert.strictEqual(
              (yield* access(postId, { token: accessToken })).status,
              number === winner % 4 ? 200 : 402
            )

          // An account that redeems the gift beside its claims of another's receipt has one of both.
          const { body } = yield* readWith(postId, token, "second")
          assert.isString(body.receipt.token)
          const loser = readers[(winner + 1) % 4]!
          const beside = yield* opened(author, 2)
          const both = yield* race(
            processes,
            times(8, (n) =>
              n % 4 < 2 ? redeem(loser.accessToken, beside.token) : claim(loser.accessToken, beside.receipt)
            )
          )
          assert.includeMembers(["200", "409 already_owned"], Object.keys(reasons(both)))
          const [row] = yield* sql<{ readonly readers: number; readonly redemptions: number }>`
            select redemptions,
              (select count(*)::int from gift_redemptions r where r.gift_id = g.id and r.reader_id is not null) as readers
            from gifts g where g.id = ${beside.id}`
          assert.strictEqual(row!.readers, 1)
          const saved = yield* sql`select id from gift_redemptions where gift_id = ${beside.id}`
          assert.lengthOf(saved, row!.redemptions)

          // Beside the end of all access, none reads on.
          const last = yield* opened(author)
          yield* race(processes, [
            revoke(author, last.id, "revoke"),
            ...times(6, (n) => claim(readers[n % 4]!.accessToken, last.receipt))
          ])
          for (const { accessToken } of readers)
            assert.strictEqual((yield* access(last.postId, { token: accessToken })).status, 402)
        }
      }).pipe(Effect.provide(processes[0]))
    }).pipe(Effect.scoped),
  120_000
)
