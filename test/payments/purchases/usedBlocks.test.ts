import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { paid } from "../finance/selling.ts"
import { PRICE_RAW, sellerOf } from "../settlement/paying.ts"

const ROUNDS = 5

/** Two authors. The second has bought a Post of the first, who can claim one of the second in turn. */
const neighbours = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const first = yield* sellerOf(number)
  const second = yield* sellerOf(number + 1)
  const [wallet, buyer] = [yield* payerOf(number), yield* payerOf(number + 1)]
  yield* wallet.fund()
  yield* buyer.fund()
  const { accessToken: token } = first.author
  return {
    first,
    second,
    /** Sends the price back, or pays with it. */
    send: wallet.pay(buyer.account, PRICE_RAW),
    sell: paid(buyer, { target: first.target, payTo: first.payTo, amountRaw: PRICE_RAW }),
    refund: (saleId: string, blockHash: string) =>
      client.send("POST", `/api/v1/finance/sales/${saleId}/refunds`, { token, body: { blockHash } }),
    claim: (blockHash: string, postId: string = second.postId) =>
      client.send("POST", "/api/v1/purchases/claims", { token, body: { postId, blockHash } })
  }
})

const owed = Effect.fnUntraced(function* (accessToken: string, ownerId: string) {
  const client = yield* TestClient
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into fee_accounts (owner_id, shard, accrued_raw) values (${ownerId}::uuid, 0, ${String(-PRICE_RAW)}::numeric)
    on conflict (owner_id, shard) do update set accrued_raw = excluded.accrued_raw`
  return (yield* client.send("POST", "/api/v1/finance/obligations", { token: accessToken })).body.id
})

layer(service(database("test_payments_used_blocks"), 1, { adminToken: ADMIN_TOKEN }))(
  "blocks that are used",
  (it) => {
    it.effect("A block used as a refund buys nothing", () =>
      Effect.gen(function* () {
        const { claim, refund, sell, send } = yield* neighbours(1)
        const { hash } = yield* send
        assert.strictEqual((yield* refund((yield* sell).id, hash)).status, 201)
        assert.deepStrictEqual(refusalOf(yield* claim(hash)), [409, "block_already_used"])
      })
    )

    it.effect("A block used as a refund and as a payment at the same time is one of them", () =>
      Effect.gen(function* () {
        const { claim, refund, second, sell, send } = yield* neighbours(11)
        const { id } = yield* sell
        const hashes: Array<string> = []
        for (let round = 0; round < ROUNDS; round++) hashes.push((yield* send).hash)
        // The sale is refunded once; the claims are for a Post each.
        const posts = [second.postId]
        while (posts.length < ROUNDS) posts.push((yield* second.another).postId)
        for (const [round, hash] of hashes.entries()) {
          yield* (yield* SqlClient.SqlClient)`delete from refunds`
          const [refunded, claimed] = yield* Effect.all([refund(id, hash), claim(hash, posts[round])], {
            concurrency: 2
          })
          assert.deepStrictEqual(
            [refunded.status, claimed.status].toSorted(),
            [201, 409],
            `${refunded.text} ${claimed.text}`
          )
        }
      })
    )

    it.effect("A payment of the platform pays one obligation, and buys nothing", () =>
      Effect.gen(function* () {
        const { claim, second, send } = yield* neighbours(21)
        const calls = yield* administrator()
        const { hash } = yield* send
        const obligations = yield* Effect.replicateEffect(owed(second.author.accessToken, second.ownerId), 4)
        const answers = yield* Effect.forEach(
          [...obligations, ...obligations],
          (obligationId) =>
            Effect.result(calls["payments.obligations.pay"]({ obligationId, block: hash, reason: "Paid" })),
          { concurrency: "unbounded" }
        )
        const tags = answers.map((answer) => (answer._tag === "Success" ? "paid" : answer.failure._tag))
        // The one that was paid answers a repeat alike.
        assert.deepStrictEqual(tags.toSorted(), [
          ...Array.from({ length: 6 }, () => "ObligationBlockMismatch"),
          "paid",
          "paid"
        ])
        const sql = yield* SqlClient.SqlClient
        assert.lengthOf(
          yield* sql`select from administrator_actions where action = 'payments.obligations.pay'`,
          1
        )
        assert.deepStrictEqual(refusalOf(yield* claim(hash)), [409, "block_already_used"])
      })
    )
  }
)
