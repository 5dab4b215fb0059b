import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { OwnerId, type PostId, type PurchaseId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress, NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { asSearch } from "../../platform/sql/asSearch.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isUnbought, purchaseColumns, purchaseJoins, PurchaseRow } from "./purchaseRow.ts"

/** A slice of the purchases of an account. */
interface Slice {
  readonly after: PurchaseId | undefined
  readonly limit: number
}

/** A Post that is for sale, and every address at which its author was ever paid. */
const SaleRow = Schema.Struct({
  price_raw: Schema.NullOr(Schema.BigIntFromString),
  wallet: Schema.NullOr(NanoPublicKey),
  is_owned: Schema.Boolean,
  addresses: Schema.Array(Schema.Struct({ address: NanoAddress, revision: Schema.Int }))
})
export type SaleRow = typeof SaleRow.Type

const BuyerRow = Schema.Struct({ id: OwnerId })

/**
 * The condition that `owners o` have bought this Post. `offset 0` keeps PostgreSQL from reading all purchases of the Post
 * to answer for a few owners.
 */
export const isBuyer = (sql: SqlClient.SqlClient, post: PostId | Statement.Fragment) => sql`
  (exists (select from purchases where post_id = ${post} and buyer_id = o.id offset 0)
    or exists (select from purchases where post_id = ${post} and payer_key = o.wallet_public_key offset 0))`

/** Selects the newest purchase of all. */
export const newestPurchase = "select created_at from purchases order by id desc limit 1"

/** Statements over purchases. An account owns what it bought, and what its login wallet paid for. */
export const purchaseStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe } = statements(sql, "purchases")
  const columns = sql.literal(purchaseColumns)
  const joins = sql.literal(purchaseJoins)
  const without = sql.literal(isUnbought)
  const settlementsOf = sql`
    select ids.id, coalesce(purchases.settlement_id, ids.id) as settlement_id
    from ids left join purchases on purchases.id = ids.id`
  const walletOf = (owner: OwnerId) => sql`(select wallet_public_key from owners where id = ${owner})`

  return {
    /**
     * Returns the newest purchases of an account, including those that are settling, and one beyond the slice if there
     * are more.
     */
    slice: (owner: OwnerId, { after, limit }: Slice) => {
      const isNext = after === undefined ? sql`true` : sql`id < ${after}`
      const newest = sql`order by id desc limit 1`
      const first = sql`order by id desc limit ${sql.literal(String(limit + 1))}`
      // One row of an index at a time: with a larger limit, a plan for ordinary buyers reads and sorts all that a busy
      // one has.
      const walk = (name: Statement.Identifier, rows: Statement.Fragment) => sql`${name} as (
        (select id from ${rows} and ${isNext} ${newest}) union all
        select (select id from ${rows} and id < ${name}.id ${newest}) from ${name} where ${name}.id is not null)`
      const isBuyer = sql`buyer_id = ${owner}`
      const isWallet = sql`payer_key = ${walletOf(owner)}`
      const [bought, paid, begun, sent] = [sql("bought"), sql("paid"), sql("begun"), sql("sent")]
      const of = (name: Statement.Identifier) =>
        sql`(select id from ${name} where id is not null limit ${sql.literal(String(limit + 1))})`
      return many("slice", PurchaseRow)`
        with recursive
        ${walk(bought, sql`purchases where ${isBuyer}`)},
        ${walk(paid, sql`purchases where ${isWallet}`)},
        ${walk(begun, sql`settlements where ${isBuyer} and ${without}`)},
        ${walk(sent, sql`settlements where ${isWallet} and ${without}`)},
        ids as (${of(bought)} union ${of(paid)} union ${of(begun)} union ${of(sent)} ${first}),
        b as (${settlementsOf})
        select ${columns} from b ${joins} order by b.id desc`
    },

    /**
     * Returns the newest purchases of an account with these words in title or author, and one beyond the slice if there
     * are more. It reads all purchases of the account, and no others.
     */
    found: (owner: OwnerId, words: string, { after, limit }: Slice) => {
      const isNext = after === undefined ? sql`true` : sql`id < ${after}`
      const isBuyer = sql`buyer_id = ${owner}`
      const isWallet = sql`payer_key = ${walletOf(owner)}`
      return asSearch(many("found", PurchaseRow)`
        with ids as materialized (
          select id from purchases where ${isBuyer} and ${isNext}
          union select id from purchases where ${isWallet} and ${isNext}
          union select id from settlements where ${isBuyer} and ${without} and ${isNext}
          union select id from settlements where ${isWallet} and ${without} and ${isNext}),
        b as (${settlementsOf})
        select ${columns} from b ${joins}
        where p.title_words || o.words @@ (select to_tsquery('words', ${words}))
        order by b.id desc limit ${sql.literal(String(limit + 1))}`)
    },

    /** Finds a purchase by its id or by that of its settlement. */
    ofOwner: (owner: OwnerId, id: PurchaseId) => maybe("ofOwner", PurchaseRow)`
      with b as (
        select id, settlement_id from purchases where id = ${id} or settlement_id = ${id}::uuid
        union select id, id from settlements where id = ${id} and ${without})
      select ${columns} from b ${joins} where s.buyer_id = ${owner} or s.payer_key = ${walletOf(owner)}`,

    ofReceipt: (tokenHash: Uint8Array) => maybe("ofReceipt", PurchaseRow)`
      select ${columns} from access_receipts r join purchases b on b.id = r.purchase_id ${joins}
      where r.token_hash = ${tokenHash} and r.revoked_at is null`,

    buyersAmong: (post: PostId, owners: ReadonlyArray<OwnerId>) => many("buyersAmong", BuyerRow)`
      select o.id from owners o where o.id = any(${owners}::uuid[]) and ${isBuyer(sql, post)}`,

    /** Returns a public Post with a paywall as an account may have paid for it. */
    sale: (owner: OwnerId, postId: PostId) => maybe("sale", SaleRow)`
      select p.price_raw::text as price_raw, encode(${walletOf(owner)}, 'hex') as wallet,
        exists (select from purchases b where b.post_id = p.id
          and (b.buyer_id = ${owner} or b.payer_key = ${walletOf(owner)})) as is_owned,
        (select coalesce(json_agg(json_build_object('address', a.address, 'revision', a.revision)), '[]')
          from (
            select payout_address as address, payout_revision as revision from owners
            where id = p.owner_id and payout_address is not null
            union all
            select address, revision from payout_addresses_past where owner_id = p.owner_id) a) as addresses
      from public_posts p where p.id = ${postId} and p.enable_paywall`
  }
})
