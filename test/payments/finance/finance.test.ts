import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { publisher, signIn } from "../../support/actors/owner.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { ownerIdOf, PRICE_RAW, sellerOf } from "../settlement/paying.ts"
import { versionSha256 } from "../version.ts"
import { paid } from "./selling.ts"

const base = "/api/v1/finance"

/** Reads as an owner. */
const reading = (token: string) => (path: string) =>
  Effect.flatMap(TestClient, (client) => client.send("GET", `${base}${path}`, { token }))

const EMPTY = {
  from: null,
  to: null,
  sales: { count: 0, grossRaw: "0" },
  tips: { count: 0, grossRaw: "0" },
  duplicates: { count: 0, grossRaw: "0" },
  receivedRaw: "0",
  fee: { bps: 0, accruedRaw: "0", takenRaw: "0" },
  obligations: { owedRaw: "0", blockedRaw: "0" },
  refundedRaw: "0",
  payout: { payoutAddress: null, revision: 0 }
}

const HEADER =
  "time,kind,id,post_id,post_title,amount_raw,amount_xno,author_raw,platform_raw,payer,buyer_handle,pay_to,transaction,channel,late,refunded_raw,matched_by,version_sha256\r\n"

const PATHS = [
  "/summary",
  "/days",
  "/posts",
  "/sales",
  "/tips",
  "/sales/0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
  "/obligations",
  "/export.csv"
]

layer(service(database("test_finance")))("finances (4)", (it) => {
  it.effect("Finances are empty before the first payment", () =>
    Effect.gen(function* () {
      const read = reading((yield* signIn(1)).accessToken)
      const summary = yield* read("/summary")
      assert.deepStrictEqual([summary.status, summary.body], [200, EMPTY])
      assert.strictEqual(summary.headers.get("cache-control"), "private, no-store")
      for (const list of ["/sales", "/tips"]) {
        const none = { data: [], pagination: { limit: 50, nextCursor: null, hasMore: false } }
        assert.deepStrictEqual((yield* read(list)).body, none)
      }
      assert.deepStrictEqual((yield* read("/obligations")).body, { data: [] })
      const csv = yield* read("/export.csv")
      assert.deepStrictEqual([csv.status, csv.text], [200, HEADER])
      assert.strictEqual(csv.headers.get("content-type"), "text/csv; charset=utf-8")
      assert.strictEqual(csv.headers.get("content-disposition"), 'attachment; filename="pennypress-all.csv"')
      assert.strictEqual(csv.headers.get("cache-control"), "private, no-store")
    })
  )

  it.effect("Finances are only for their owner, and a Publishing key or a stranger gets 401", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { key } = yield* publisher(2)
      for (const path of PATHS) {
        const byKey = yield* client.send("GET", `${base}${path}`, { token: key })
        assert.deepStrictEqual(refusalOf(byKey), [401, "unauthorized"], path)
        assert.strictEqual((yield* client.send("GET", `${base}${path}`)).status, 401, path)
      }
      for (const path of ["/obligations", `${PATHS[5]}/refunds`]) {
        const answer = yield* client.send("POST", `${base}${path}`, { token: key })
        assert.strictEqual(answer.status, 401, path)
      }
    })
  )

  it.effect("Sales and tips are shown with every member, and only to their owner", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 23, 59, 59))
      const { another, author, ownerId, payTo, postId, target } = yield* sellerOf(3)
      const payer = yield* payerOf(4)
      yield* payer.fund()
      const buyer = yield* signIn(4)
      const buyerId = yield* ownerIdOf(buyer.accessToken)
      const sale = yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW, buyerId, late: true })
      yield* TestClock.adjust("1 second")
      const anonymous = yield* paid(payer, { target: yield* another, payTo, amountRaw: PRICE_RAW })
      const tipTarget = { kind: "tip", postId, commentId: null, recipientId: ownerId } as const
      yield* paid(payer, { target: tipTarget, payTo, amountRaw: RAW_PER_XNO })
      const profileTip = { ...tipTarget, postId: null }
      yield* paid(payer, { target: profileTip, payTo, amountRaw: 2n * RAW_PER_XNO, buyerId })

      const read = reading(author.accessToken)
      const [newest, first] = (yield* read("/sales")).body.data
      const allocation = { role: "author", address: payTo, payoutRevision: 1, state: "settled" }
      const profile = (yield* reading(buyer.accessToken)("/../me")).body.owner
      const digest = versionSha256({
        title: "On pennies",
        free: "A penny for your **thoughts**.",
        paid: "The **secret** of pennies.",
        files: []
      })
      assert.deepStrictEqual(first, {
        id: sale.id,
        amountReceivedRaw: String(PRICE_RAW),
        allocations: [{ ...allocation, amountRaw: String(PRICE_RAW) }],
        payer: payer.account,
        buyer: {
          id: buyerId,
          name: profile.name,
          handle: profile.handle,
          avatarUrl: null,
          authorKind: "human"
        },
        channel: "claim",
        matchedBy: null,
        transaction: sale.blockHash,
        late: true,
        confirmedAt: "2026-11-22T23:59:59.000000Z",
        purchaseId: sale.purchaseId,
        duplicate: false,
        postId,
        title: "On pennies",
        priceRaw: String(PRICE_RAW),
        versionSha256: digest,
        refundedRaw: "0"
      })
      assert.deepInclude(newest, { id: anonymous.id, buyer: null, late: false })

      const [toProfile, toPost] = (yield* read("/tips")).body.data
      assert.deepInclude(toProfile, { postId: null, commentId: null, title: null })
      assert.deepInclude(toPost, { postId, commentId: null, title: "On pennies", buyer: null })
      assert.strictEqual(toPost.amountReceivedRaw, String(RAW_PER_XNO))

      // The snapshot is the Post as it was sold, under the id of the sale and that of the purchase.
      yield* author.patch(postId, { title: "Changed", paidContentMarkdown: "Other words." })
      for (const id of [sale.id, sale.purchaseId]) {
        const { body } = yield* read(`/sales/${id}`)
        const { snapshot, ...rest } = body
        assert.deepStrictEqual(rest, first)
        assert.deepStrictEqual(snapshot, {
          title: "On pennies",
          description: "What a penny buys",
          freeContentMarkdown: "A penny for your **thoughts**.",
          paidContentMarkdown: "The **secret** of pennies.",
          contentSha256: digest,
          creationMethod: "human_written",
          creationDetails: null,
          language: "en",
          attachments: []
        })
      }
      const strange = yield* reading(buyer.accessToken)(`/sales/${sale.id}`)
      assert.deepStrictEqual(refusalOf(strange), [404, "not_found"])

      // The second of midnight begins the next day.
      const totals = Effect.fnUntraced(function* (query: string) {
        const { receivedRaw, sales, tips } = (yield* read(`/summary${query}`)).body
        return [sales.count, sales.grossRaw, tips.count, tips.grossRaw, receivedRaw]
      })
      const [one, two] = [String(PRICE_RAW), String(2n * PRICE_RAW)]
      const tips = String(3n * RAW_PER_XNO)
      const all = [2, two, 2, tips, String(2n * PRICE_RAW + 3n * RAW_PER_XNO)]
      assert.deepStrictEqual(yield* totals(""), all)
      assert.deepStrictEqual(yield* totals("?from=2026-11-22&to=2026-11-24"), all)
      assert.deepStrictEqual(yield* totals("?to=2026-11-23"), [1, one, 0, "0", one])
      assert.deepStrictEqual(yield* totals("?from=2026-11-23"), [
        1,
        one,
        2,
        tips,
        String(PRICE_RAW + 3n * RAW_PER_XNO)
      ])
      assert.lengthOf((yield* read("/sales?to=2026-11-23")).body.data, 1)
      assert.lengthOf((yield* read("/sales?from=2026-11-23&to=2026-11-23")).body.data, 0)
      assert.lengthOf((yield* read(`/sales?postId=${postId}`)).body.data, 1)
      assert.lengthOf((yield* reading(buyer.accessToken)(`/sales?postId=${postId}`)).body.data, 0)

      const lines = (yield* read("/export.csv?kind=sales")).text.split("\r\n")
      assert.lengthOf(lines, 4)
      assert.strictEqual(
        lines[2],
        `2026-11-22T23:59:59.000000Z,sale,${sale.id},${postId},On pennies,${one},0.25,${one},0,${payer.account},${profile.handle},${payTo},${sale.blockHash},claim,true,0,,${digest}`
      )
      assert.lengthOf((yield* read("/export.csv?kind=tips")).text.split("\r\n"), 4)
      assert.lengthOf((yield* read("/export.csv?kind=all&to=2026-11-23")).text.split("\r\n"), 3)
    })
  )

  it.effect("A second payment of one buyer buys nothing, and is shown as a duplicate", () =>
    Effect.gen(function* () {
      const { author, payTo, target } = yield* sellerOf(5)
      const payer = yield* payerOf(6)
      yield* payer.fund()
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      const read = reading(author.accessToken)
      const { data } = (yield* read("/sales")).body
      assert.deepStrictEqual(
        data.map(({ duplicate, purchaseId }: any) => [duplicate, purchaseId === null]),
        [
          [true, true],
          [false, false]
        ]
      )
      const { duplicates, receivedRaw, sales } = (yield* read("/summary")).body
      assert.deepStrictEqual([sales.count, receivedRaw], [1, String(2n * PRICE_RAW)])
      assert.deepStrictEqual(duplicates, { count: 1, grossRaw: String(PRICE_RAW) })
    })
  )

  it.effect("A cursor pages through one list, up to its limits", () =>
    Effect.gen(function* () {
      const { author, ownerId, payTo } = yield* sellerOf(7)
      const payer = yield* payerOf(8)
      yield* payer.fund()
      const target = { kind: "tip", postId: null, commentId: null, recipientId: ownerId } as const
      for (let tip = 1; tip <= 5; tip++) {
        // Three of one moment: the id decides between them.
        if (tip > 3) yield* TestClock.adjust("1 second")
        yield* paid(payer, { target, payTo, amountRaw: BigInt(tip) * 10n ** 24n })
      }
      const read = reading(author.accessToken)
      const ids = ({ body }: any) => body.data.map(({ id }: any) => id)
      const all = ids(yield* read("/tips?limit=100"))
      assert.lengthOf(all, 5)
      const paged: Array<string> = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const page: any = yield* read(`/tips?limit=2&cursor=${cursor}`)
        paged.push(...ids(page))
        cursor = page.body.pagination.nextCursor
        assert.strictEqual(page.body.pagination.hasMore, cursor !== null)
      }
      assert.deepStrictEqual(paged, all)

      const { nextCursor } = (yield* read("/tips?limit=1")).body.pagination
      assert.lengthOf(ids(yield* read("/tips?limit=1")), 1)
      for (const [path, member] of [
        ["/tips?limit=0", "limit"],
        ["/tips?limit=101", "limit"],
        ["/tips?cursor=x", "cursor"],
        [`/tips?cursor=${nextCursor}&from=2020-01-01`, "cursor"],
        [`/sales?cursor=${nextCursor}`, "cursor"],
        ["/sales?from=2026-02-30", "from"],
        ["/summary?to=2026-1-1", "to"],
        ["/export.csv?kind=none", "kind"]
      ] as const) {
        const [status, code, error] = refusalOf(yield* read(path))
        assert.deepStrictEqual([status, code], [422, "validation"], path)
        assert.include(error as string, member, path)
      }
      const stranger = reading((yield* signIn(9)).accessToken)
      assert.strictEqual((yield* stranger(`/tips?cursor=${nextCursor}`)).status, 422)
    })
  )

  it.effect("Sums may exceed the integers of a program", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accessToken } = yield* signIn(10)
      const owner = yield* ownerIdOf(accessToken)
      const huge = "9".repeat(45)
      yield* sql`
        insert into earnings_daily (owner_id, day, shard, sales, sales_raw, tips, tips_raw)
        select ${owner}::uuid, '2026-11-01'::date + day, shard, 1, ${huge}::numeric, 0, 0
        from generate_series(0, 1) day, generate_series(0, 1) shard`
      yield* sql`
        insert into fee_accounts (owner_id, shard, accrued_raw) values (${owner}, 0, ${"-" + huge}::numeric), (${owner}, 1, 1)`
      const read = reading(accessToken)
      const { fee, receivedRaw, sales } = (yield* read("/summary")).body
      const four = String(4n * BigInt(huge))
      assert.deepStrictEqual([sales, receivedRaw], [{ count: 4, grossRaw: four }, four])
      assert.strictEqual(fee.accruedRaw, String(1n - BigInt(huge)))
      assert.strictEqual(
        (yield* read("/summary?to=2026-11-02")).body.sales.grossRaw,
        String(2n * BigInt(huge))
      )
    })
  )
})

layer(service(database("test_finance_limits"), 1, { rateLimitFactor: 1 }))("exports", (it) => {
  it.effect("An owner may export ten times in an hour", () =>
    Effect.gen(function* () {
      const read = reading((yield* signIn(1)).accessToken)
      for (let time = 0; time < 10; time++) assert.strictEqual((yield* read("/export.csv")).status, 200)
      const refused = yield* read("/export.csv")
      assert.deepStrictEqual(refusalOf(refused), [429, "rate_limited"])
      yield* TestClock.adjust("1 hour")
      const { accessToken } = yield* signIn(1)
      assert.strictEqual((yield* reading(accessToken)("/export.csv")).status, 200)
    })
  )
})
