import { Schema } from "effect"
import type { Transaction } from "../ports/StateStore.ts"

const Amount = Schema.Struct({
  amount_raw: Schema.String,
  state: Schema.Literals(["reserved", "spent", "released"])
})

const decode = Schema.decodeUnknownSync(Amount)

/** Sums of a spending grant, in raw. */
export interface Spent {
  readonly spentRaw: bigint
  readonly reservedRaw: bigint
}

/** Adds up the amounts that a spending grant has spent, and those that it holds. */
export const sumsOf = (tx: Transaction, grantId: string): Spent => {
  let spentRaw = 0n
  let reservedRaw = 0n
  // Sums of such amounts do not fit a number, so they are not for SQL.
  for (const found of tx.all(`select amount_raw, state from reservations where grant_id = ?`, grantId)) {
    const { amount_raw: amount, state } = decode(found)
    if (state === "spent") spentRaw += BigInt(amount)
    if (state === "reserved") reservedRaw += BigInt(amount)
  }
  return { spentRaw, reservedRaw }
}

/** Holds an amount of a grant for an intent. */
export const insertReservation = (
  tx: Transaction,
  reservation: { readonly intentId: string; readonly grantId: string; readonly amountRaw: bigint }
): void => {
  tx.run(
    `insert into reservations (intent_id, grant_id, amount_raw, state, reserved_at) values (?, ?, ?, 'reserved', ?)`,
    reservation.intentId,
    reservation.grantId,
    reservation.amountRaw.toString(),
    tx.now
  )
}

/** Ends a reservation: the amount is spent, or free again. Returns false when it had ended before. */
export const endReservation = (tx: Transaction, intentId: string, state: "released" | "spent"): boolean =>
  tx.run(
    `update reservations set state = ?, ended_at = ? where intent_id = ? and state = 'reserved'`,
    state,
    tx.now,
    intentId
  ) === 1

/** Counts a released amount as spent: it was sent after all. */
export const spendReleased = (tx: Transaction, intentId: string): boolean =>
  tx.run(
    `update reservations set state = 'spent', ended_at = ? where intent_id = ? and state = 'released'`,
    tx.now,
    intentId
  ) === 1

/** Returns the grant from which an intent holds an amount. */
export const grantOfReservation = (tx: Transaction, intentId: string): string | undefined => {
  const id = tx.first(`select grant_id from reservations where intent_id = ?`, intentId)?.["grant_id"]
  return typeof id === "string" ? id : undefined
}
