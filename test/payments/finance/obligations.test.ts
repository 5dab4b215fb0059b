import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { publisher, signIn, walletOf } from "../../support/actors/owner.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { ownerIdOf, sellerOf } from "../settlement/paying.ts"

const base = "/api/v1/finance"
const OWED = 10n ** 24n

/** An owner from whom the platform took too much, over two rows of the account. */
const overcharged = Effect.fnUntraced(function* (accessToken: string) {
  const client = yield* TestClient
  const sql = yield* SqlClient.SqlClient
  const owner = yield* ownerIdOf(accessToken)
  yield* sql`
    insert into fee_accounts (owner_id, shard, accrued_raw) values (${owner}, 3, ${String(-OWED - 7n)}::numeric), (${owner}, 9, 7)`
  const send = (method: string, path: string, body?: unknown) =>
    client.send(method, `${base}${path}`, { token: accessToken, ...(body === undefined ? {} : { body }) })
  return {
    claim: send("POST", "/obligations"),
    list: Effect.map(send("GET", "/obligations"), ({ body }) => body.data),
    summary: Effect.map(send("GET", "/summary"), ({ body }) => body),
    bind: (id: string, revision: unknown) => send("POST", `/obligations/${id}/bind`, { revision }),
    saveAddress: (number: number) =>
      client.send("PUT", "/api/v1/profile/payout-address", {
        token: accessToken,
        body: { payoutAddress: walletOf(number).account }
      })
  }
})

layer(service(database("test_finance_obligations"), 1, { adminToken: ADMIN_TOKEN }))(
  "obligations (4, spec 2.4)",
  (it) => {
    it.effect("An obligation comes from a negative account once, and is bound to the payout address", () =>
      Effect.gen(function* () {
        const { author, payTo } = yield* sellerOf(1)
        const { claim, list, summary } = yield* overcharged(author.accessToken)
        assert.strictEqual((yield* summary).fee.accruedRaw, String(-OWED))
        const { body, status } = yield* claim
        assert.strictEqual(status, 201)
        assert.deepStrictEqual(body, {
          id: body.id,
          amountRaw: String(OWED),
          state: "owed",
          reason: null,
          boundAddress: payTo,
          boundRevision: 1,
          transaction: null,
          createdAt: body.createdAt
        })
        assert.deepStrictEqual(yield* list, [body])
        assert.deepInclude(yield* summary, {
          fee: { bps: 0, accruedRaw: "0", takenRaw: "0" },
          obligations: { owedRaw: String(OWED), blockedRaw: "0" }
        })
        assert.deepStrictEqual(refusalOf(yield* claim), [409, "nothing_owed"])
      })
    )

    it.effect("Of ten concurrent requests, one makes an obligation", () =>
      Effect.gen(function* () {
        const { author } = yield* sellerOf(5)
        const { claim, list } = yield* overcharged(author.accessToken)
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => claim),
          {
            concurrency: "unbounded"
          }
        )
        const statuses = answers.map(({ status }) => status)
        assert.deepStrictEqual(statuses.toSorted(), [201, ...Array.from({ length: 9 }, () => 409)])
        assert.deepStrictEqual(
          (yield* list).map(({ amountRaw }: any) => amountRaw),
          [String(OWED)]
        )
      })
    )

    it.effect("An obligation stays blocked until its owner binds the revision of a saved address", () =>
      Effect.gen(function* () {
        const { accessToken } = yield* signIn(11)
        const { bind, claim, list, saveAddress, summary } = yield* overcharged(accessToken)
        const { body } = yield* claim
        const blocked = {
          state: "blocked",
          reason: "payout_address_required",
          boundAddress: null,
          boundRevision: null
        }
        assert.deepInclude(body, blocked)
        assert.deepStrictEqual(refusalOf(yield* bind(body.id, 1)), [409, "revision_conflict"])
        yield* saveAddress(12)
        yield* saveAddress(13)
        assert.deepInclude((yield* list)[0], blocked)
        assert.deepInclude((yield* summary).obligations, { owedRaw: "0", blockedRaw: String(OWED) })

        for (const revision of [1, 3]) {
          assert.deepStrictEqual(refusalOf(yield* bind(body.id, revision)), [409, "revision_conflict"])
        }
        for (const revision of [0, 2_147_483_648, 1.5, "2", null]) {
          assert.strictEqual((yield* bind(body.id, revision)).status, 422, String(revision))
        }
        const other = yield* overcharged((yield* signIn(14)).accessToken)
        assert.deepStrictEqual(refusalOf(yield* other.bind(body.id, 2)), [404, "not_found"])

        const bound = { state: "owed", reason: null, boundAddress: walletOf(13).account, boundRevision: 2 }
        for (const _ of [1, 2]) assert.deepInclude((yield* bind(body.id, 2)).body, bound)
        // A later address changes nothing by itself.
        yield* saveAddress(15)
        assert.deepInclude((yield* list)[0], bound)
      })
    )

    it.effect("An obligation is paid by a block that an administrator names and the ledger shows", () =>
      Effect.gen(function* () {
        const seller = yield* publisher(21)
        const { bind, claim, list } = yield* overcharged(seller.accessToken)
        const { body } = yield* claim
        const operator = yield* payerOf(29)
        yield* operator.fund()
        const calls = yield* administrator()
        const pay = (block: string) =>
          calls["payments.obligations.pay"]({
            obligationId: body.id,
            block: BlockHash.make(block),
            reason: "Paid by hand"
          })
        const refused = (block: string) => Effect.map(Effect.flip(pay(block)), ({ _tag }) => _tag)

        const owed = yield* calls["payments.obligations.list"]({})
        assert.include(
          owed.data.map(({ id }) => id),
          body.id
        )
        const little = yield* operator.pay(body.boundAddress, OWED - 1n)
        const much = yield* operator.pay(body.boundAddress, OWED + 1n)
        const elsewhere = yield* operator.pay(walletOf(28).account, OWED)
        for (const { hash } of [little, much, elsewhere]) {
          assert.strictEqual(yield* refused(hash), "ObligationBlockMismatch")
        }
        const ledger = yield* NanoLedgerMemory
        yield* ledger.confirmAfter("never")
        const right = yield* operator.pay(body.boundAddress, OWED)
        for (const hash of ["A".repeat(64), right.hash])
          assert.strictEqual(yield* refused(hash), "ObligationBlockUnconfirmed")
        yield* ledger.confirm(right.hash)
        yield* ledger.confirmAfter(0)
        const paid = yield* pay(right.hash)
        assert.deepInclude(paid, { state: "paid", transaction: right.hash })
        assert.deepStrictEqual(yield* pay(right.hash), paid)
        assert.strictEqual(yield* refused(little.hash), "ObligationNotOwed")
        assert.deepInclude((yield* list)[0], { state: "paid", transaction: right.hash })
        assert.deepStrictEqual(refusalOf(yield* bind(body.id, 1)), [409, "revision_conflict"])
        assert.notInclude(
          (yield* calls["payments.obligations.list"]({})).data.map(({ id }) => id),
          body.id
        )
        // The same block pays no other obligation of the same amount.
        const again = yield* overcharged((yield* publisher(22)).accessToken)
        const second = (yield* again.claim).body
        const reused = calls["payments.obligations.pay"]({
          obligationId: second.id,
          block: BlockHash.make(right.hash),
          reason: "Paid by hand"
        })
        assert.strictEqual((yield* Effect.flip(reused))._tag, "ObligationBlockMismatch")
      })
    )
  }
)
