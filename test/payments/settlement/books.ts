import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { type NanoAddress, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { TestClient } from "../../support/TestClient.ts"

/** One settlement with all that was made of it. */
export interface Entry {
  readonly id: string
  readonly state: "settling" | "settled" | "refused" | "lapsed"
  readonly kind: "purchase" | "tip"
  readonly post: string | null
  readonly hash: BlockHash
  readonly payer: string
  readonly buyer: OwnerId | null
  readonly duplicate: boolean
  readonly amount: bigint
  readonly role: "author" | "platform"
  readonly purchase: string | null
  readonly purchases: number
  readonly tips: number
  readonly allocations: ReadonlyArray<{ readonly role: string; readonly amount: string }>
}

/** Reads the settlements of an author, oldest first. */
export const entriesOf = Effect.fnUntraced(function* (author: OwnerId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Omit<Entry, "amount"> & { readonly amount: string }>`
    select s.id, s.state, s.kind, s.post_id as post, upper(encode(s.block_hash, 'hex')) as hash,
      encode(s.payer_key, 'hex') as payer, s.buyer_id as buyer, s.duplicate, s.amount_raw::text as amount,
      s.pay_to_role as role, (select p.id from purchases p where p.settlement_id = s.id limit 1) as purchase,
      (select count(*)::int from purchases p where p.settlement_id = s.id and p.buyer_id is not distinct from s.buyer_id)
        as purchases,
      (select count(*)::int from tips t where t.settlement_id = s.id) as tips,
      (select coalesce(jsonb_agg(jsonb_build_object('role', a.role, 'amount', a.amount_raw::text)), '[]')
        from allocations a where a.settlement_id = s.id) as allocations
    from settlements s where s.recipient_id = ${author} order by s.created_at, s.id`
  return rows.map(({ amount, ...row }): Entry => Object.assign(row, { amount: BigInt(amount) }))
})

const sum = (amounts: ReadonlyArray<bigint>) => amounts.reduce((total, amount) => total + amount, 0n)
const amountOf = ({ amount }: Entry) => amount
const isSettled = ({ state }: Entry) => state === "settled"

/** Returns the fee that the platform has not received yet, by the entries alone: the floor of each sale or tip, less its turns. */
export const accruedBy = (entries: ReadonlyArray<Entry>, feeBps: number): bigint =>
  sum(
    entries
      .filter((entry) => isSettled(entry) && !entry.duplicate)
      .map(({ amount }) => (amount * BigInt(feeBps)) / 10_000n)
  ) - sum(entries.filter((entry) => isSettled(entry) && entry.role === "platform").map(amountOf))

/** Returns the number and the sum of sales and of tips. */
const sumsOf = (entries: ReadonlyArray<Entry>) => {
  const of = (wanted: Entry["kind"]) => entries.filter(({ kind }) => kind === wanted)
  const [sales, tips] = [of("purchase"), of("tip")]
  return {
    sales: sales.length,
    sales_raw: String(sum(sales.map(amountOf))),
    tips: tips.length,
    tips_raw: String(sum(tips.map(amountOf)))
  }
}

type Process = Context.Context<SqlClient.SqlClient | TestClient | NanoLedgerMemory>

interface Books {
  readonly author: OwnerId
  readonly accessToken: string
  readonly payTo: NanoAddress
  readonly feeBps: number
  /** Raw that `takeNegative` turned into obligations. */
  readonly takenRaw: bigint
}

/** Each confirmed block has one purchase or tip, unless it is a duplicate, and one allocation; a refused one has none. */
const auditEntry = Effect.fnUntraced(function* (process: Process, entry: Entry) {
  const { allocations, amount, duplicate, hash, kind, purchases, role, state, tips } = entry
  const found = yield* Context.get(process, NanoLedgerMemory).book.entry(hash)
  const isConfirmed = found._tag === "Some" && found.value.confirmedAt !== null
  assert.strictEqual(state, isConfirmed ? "settled" : "refused", `${kind} ${hash}`)
  const isSale = kind === "purchase" && isConfirmed && !duplicate
  const isTip = kind === "tip" && isConfirmed
  assert.deepStrictEqual([purchases, tips], [isSale ? 1 : 0, isTip ? 1 : 0])
  assert.deepStrictEqual(allocations, isConfirmed ? [{ role, amount: String(amount) }] : [])
})

/** The finances that the author reads have every payment, and the fees by turn to the raw. */
const auditFinances = Effect.fnUntraced(function* (
  process: Process,
  settled: ReadonlyArray<Entry>,
  { accessToken, feeBps, takenRaw }: Books
) {
  const client = Context.get(process, TestClient)
  const read = (path: string) => client.send("GET", `/api/v1/finance${path}`, { token: accessToken })
  const { fee, receivedRaw, sales, tips } = (yield* read("/summary")).body
  const all = sumsOf(settled.filter(({ duplicate }) => !duplicate))
  assert.deepStrictEqual(sales, { count: all.sales, grossRaw: all.sales_raw })
  assert.deepStrictEqual(tips, { count: all.tips, grossRaw: all.tips_raw })
  assert.strictEqual(fee.accruedRaw, String(accruedBy(settled, feeBps) + takenRaw), "fees by turn are exact")
  assert.strictEqual(BigInt(receivedRaw) + BigInt(fee.takenRaw), sum(settled.map(amountOf)))
  const lists = { sales: "purchase", tips: "tip" } as const
  for (const list of ["sales", "tips"] as const) {
    const { data } = (yield* read(`/${list}?limit=100`)).body
    const rows: ReadonlyArray<string> = data.map((it: any) => `${it.transaction} ${it.amountReceivedRaw}`)
    const expected = settled.filter(({ kind }) => kind === lists[list]).map((it) => `${it.hash} ${it.amount}`)
    assert.deepStrictEqual(rows.toSorted(), expected.toSorted())
  }
})

/** Checks everything that is kept about the payments to an author against the ledger. Returns the settlements. */
export const audit = Effect.fnUntraced(function* (process: Process, books: Books) {
  const { author, payTo } = books
  const sql = Context.get(process, SqlClient.SqlClient)
  const entries = yield* Effect.provide(entriesOf(author), process)
  yield* Effect.forEach(entries, (entry) => auditEntry(process, entry))
  const settled = entries.filter(isSettled)
  const bought = settled.filter(({ duplicate }) => !duplicate)

  const owned = bought.filter(({ kind }) => kind === "purchase")
  const identities = owned.map(({ buyer, payer, post }) => `${post} ${buyer ?? payer}`)
  assert.strictEqual(new Set(identities).size, identities.length, "a Post is bought once")

  const { book } = Context.get(process, NanoLedgerMemory)
  const came = yield* book.receivable(publicKeyOfAddress(payTo), 100_000)
  const got = settled.filter(({ role }) => role === "author").map(amountOf)
  assert.strictEqual(
    sum(came.map(({ amountRaw }) => amountRaw)),
    sum(got),
    "all that the author got is settled"
  )

  assert.deepStrictEqual(
    yield* sql`
      select coalesce(sum(sales), 0)::int as sales, coalesce(sum(sales_raw), 0)::text as sales_raw,
        coalesce(sum(tips), 0)::int as tips, coalesce(sum(tips_raw), 0)::text as tips_raw
      from earnings_daily where owner_id = ${author}`,
    [sumsOf(bought)]
  )
  assert.deepStrictEqual(
    yield* sql`
      select post_id, sum(sales)::int as sales, sum(earned_raw)::text as earned_raw
      from post_earnings where owner_id = ${author} group by post_id order by post_id`,
    yield* sql`
      select post_id, (count(*) filter (where kind = 'purchase'))::int as sales, sum(amount_raw)::text as earned_raw
      from settlements
      where recipient_id = ${author} and state = 'settled' and not duplicate and post_id is not null and comment_id is null
      group by post_id order by post_id`
  )
  const counted = yield* sql`
    select coalesce(sum(amount), 0)::int as amount from counter_changes
    where counter = 'post_purchases' and subject_id in (select id from posts where owner_id = ${author})`
  assert.deepStrictEqual(counted, [{ amount: owned.length }])
  yield* auditFinances(process, settled, books)
  return entries
})

/** Returns the number and the sum of the payments of an account, by the sums of days and by the payments themselves. */
export const supportBy = Effect.fnUntraced(function* (
  process: Context.Context<SqlClient.SqlClient>,
  buyer: OwnerId
) {
  const sql = Context.get(process, SqlClient.SqlClient)
  const byDays = yield* sql`
    select coalesce(sum(sales + tips), 0)::int as count, coalesce(sum(sales_raw + tips_raw), 0)::text as sum
    from support_daily where owner_id = ${buyer}`
  const byPayments = yield* sql`
    select count(*)::int as count, coalesce(sum(amount_raw), 0)::text as sum from settlements
    where buyer_id = ${buyer} and state = 'settled' and not duplicate`
  return { byDays, byPayments }
})
