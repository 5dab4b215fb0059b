import { Redacted, Schema } from "effect"
import type { Transaction } from "../ports/StateStore.ts"

/**
 * States of a purchase. `authorized`: money is reserved. `settling`: its block may be with the service. `settled`: it
 * was paid. `owned`: nothing had to be paid. `refused`: nothing was sent.
 */
const PurchaseStatus = Schema.Literals(["authorized", "settling", "settled", "owned", "refused"])
type PurchaseStatus = typeof PurchaseStatus.Type

const PurchaseRow = Schema.Struct({
  intent_id: Schema.String,
  post_id: Schema.String,
  owner_id: Schema.String,
  amount_raw: Schema.String,
  payment: Schema.NullOr(Schema.String),
  frontier: Schema.NullOr(Schema.String),
  status: PurchaseStatus,
  transaction_hash: Schema.NullOr(Schema.String),
  receipt: Schema.NullOr(Schema.String),
  made_at: Schema.Finite,
  settled_at: Schema.NullOr(Schema.Finite)
})

/** One purchase of this state directory. Times are milliseconds since 1970. */
export interface SavedPurchase {
  readonly intentId: string
  readonly postId: string
  readonly ownerId: string
  readonly amountRaw: bigint
  /** The header that pays. Anyone who has it could make the payment. */
  readonly payment: Redacted.Redacted | null
  /** The block that comes before the block of the payment. */
  readonly frontier: string | null
  readonly status: PurchaseStatus
  /** The hash of the block of the payment. */
  readonly transaction: string | null
  readonly receipt: Redacted.Redacted | null
  readonly madeAt: number
  readonly settledAt: number | null
}

const decode = Schema.decodeUnknownSync(PurchaseRow)

const secretOf = (text: string | null) => (text === null ? null : Redacted.make(text))

const purchaseOf = (found: unknown): SavedPurchase => {
  const row = decode(found)
  return {
    intentId: row.intent_id,
    postId: row.post_id,
    ownerId: row.owner_id,
    amountRaw: BigInt(row.amount_raw),
    payment: secretOf(row.payment),
    frontier: row.frontier,
    status: row.status,
    transaction: row.transaction_hash,
    receipt: secretOf(row.receipt),
    madeAt: row.made_at,
    settledAt: row.settled_at
  }
}

const one = (found: unknown) => (found === undefined ? undefined : purchaseOf(found))

/** Returns the purchase of an intent. */
export const readPurchase = (tx: Transaction, intentId: string): SavedPurchase | undefined =>
  one(tx.first(`select * from purchases where intent_id = ?`, intentId))

/** Returns the newest purchase of a Post by an owner. */
export const newestPurchase = (tx: Transaction, ownerId: string, postId: string): SavedPurchase | undefined =>
  one(
    tx.first(
      `select * from purchases where owner_id = ? and post_id = ? order by made_at desc, intent_id desc limit 1`,
      ownerId,
      postId
    )
  )

/** Returns the newest receipt for a Post. */
export const receiptOf = (tx: Transaction, ownerId: string, postId: string): Redacted.Redacted | null =>
  one(
    tx.first(
      `select * from purchases where owner_id = ? and post_id = ? and receipt is not null
       order by made_at desc, intent_id desc limit 1`,
      ownerId,
      postId
    )
  )?.receipt ?? null

/** Returns a purchase that is neither paid nor refused. */
export const openPurchase = (tx: Transaction, ownerId: string): SavedPurchase | undefined =>
  one(
    tx.first(
      `select * from purchases where owner_id = ? and status in ('authorized', 'settling') order by made_at limit 1`,
      ownerId
    )
  )

/** Returns a purchase whose block may be with the service. */
export const settlingPurchase = (tx: Transaction): SavedPurchase | undefined =>
  one(
    tx.first(
      `select * from purchases where status = 'settling' and payment is not null order by made_at limit 1`
    )
  )

/** Saves a purchase whose money is reserved. */
export const insertPurchase = (
  tx: Transaction,
  purchase: Pick<SavedPurchase, "amountRaw" | "intentId" | "ownerId" | "postId">
): void => {
  tx.run(
    `insert into purchases (intent_id, post_id, owner_id, amount_raw, status, made_at)
     values (?, ?, ?, ?, 'authorized', ?)`,
    purchase.intentId,
    purchase.postId,
    purchase.ownerId,
    purchase.amountRaw.toString(),
    tx.now
  )
}

/** Returns true when a block that follows this one was given away, for a purchase or by the wallet, and was not refused. */
export const isFrontierUsed = (tx: Transaction, frontier: string): boolean =>
  tx.first(
    `select 1 from purchases where frontier = ? and status in ('settling', 'settled')
     union all select 1 from wallet_blocks where previous = ? and status in ('sending', 'confirmed')`,
    frontier,
    frontier
  ) !== undefined

/** Saves the payment that is about to be sent, if there is anything to pay. */
export const dispatchPurchase = (
  tx: Transaction,
  intentId: string,
  payment: {
    readonly header: Redacted.Redacted
    readonly frontier: string
    readonly transaction: string
  } | null
): void => {
  tx.run(
    `update purchases set status = 'settling', payment = ?, frontier = ?, transaction_hash = ? where intent_id = ?`,
    payment === null ? null : Redacted.value(payment.header),
    payment?.frontier ?? null,
    payment?.transaction ?? null,
    intentId
  )
}

/** Saves the receipt of an answer, before the answer counts as the end of the purchase. */
export const saveReceipt = (tx: Transaction, intentId: string, receipt: Redacted.Redacted): void => {
  tx.run(`update purchases set receipt = ? where intent_id = ?`, Redacted.value(receipt), intentId)
}

/** Ends a purchase. */
export const endPurchase = (
  tx: Transaction,
  intentId: string,
  status: "owned" | "refused" | "settled"
): void => {
  tx.run(
    `update purchases set status = ?, settled_at = ? where intent_id = ? and status in ('authorized', 'settling')`,
    status,
    tx.now,
    intentId
  )
}

/**
 * Counts a refused purchase as paid: its block is on the ledger after all. A repeat of the purchase on the same
 * frontier has the same block, so only the newest of them is changed, and none when one was paid. Returns the id of its
 * intent.
 */
export const settleConfirmed = (tx: Transaction, transaction: string): string | undefined => {
  const [first, ...others] = tx
    .all(
      `select * from purchases where transaction_hash = ? order by made_at desc, intent_id desc`,
      transaction
    )
    .map(purchaseOf)
  if (first === undefined || [first, ...others].some(({ status }) => status !== "refused")) return undefined
  tx.run(
    `update purchases set status = 'settled', settled_at = ? where intent_id = ?`,
    tx.now,
    first.intentId
  )
  return first.intentId
}
