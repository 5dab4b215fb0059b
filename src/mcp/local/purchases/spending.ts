import { Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { marked } from "../failures/marked.ts"
import { requireGrant } from "../grants/Grants.ts"
import type { Transaction } from "../ports/StateStore.ts"
import { type Grant, readGrant } from "../state/grants.sql.ts"
import { isFrontierUsed, openPurchase, settleConfirmed } from "../state/purchases.sql.ts"
import { grantOfReservation, insertReservation, spendReleased, sumsOf } from "../state/reservations.sql.ts"

/** The workflow that grants of spending are made for. */
const WORKFLOW = "buy_post"

type Checked = Effect.Effect<void, ToolFailure>

/** Checks an amount against a grant, less the amounts that are spent and held. */
const checkAmount = (tx: Transaction, grant: Grant, amountRaw: bigint, heldRaw: bigint): Checked => {
  const { reservedRaw, spentRaw } = sumsOf(tx, grant.id)
  const isWithin =
    amountRaw > 0n &&
    amountRaw <= (grant.maxEachRaw ?? 0n) &&
    spentRaw + reservedRaw - heldRaw + amountRaw <= (grant.maxTotalRaw ?? 0n)
  return isWithin ? Effect.void : Effect.fail(marked("grant-exceeded"))
}

/**
 * Reserves the amount of a purchase, in the transaction that authorizes it. The grant of the owner for this origin must
 * allow it, and no other purchase of the wallet may be open.
 */
export const reserve = (
  tx: Transaction,
  purchase: {
    readonly intentId: string
    readonly origin: string
    readonly ownerId: string
    readonly amountRaw: bigint
  }
): Checked =>
  Effect.gen(function* () {
    const open = openPurchase(tx, purchase.ownerId)
    if (open !== undefined) {
      return yield* marked("intent-in-progress", {
        operationId: open.intentId,
        nextStep: `Call svc_operation with the operation_id ${open.intentId} and \`action: "resume"\``
      })
    }
    const grant = yield* requireGrant(tx, { kind: "spending", origin: purchase.origin })
    if (grant.workflow !== WORKFLOW) return yield* marked("grant-binding-mismatch")
    yield* checkAmount(tx, grant, purchase.amountRaw, 0n)
    insertReservation(tx, { intentId: purchase.intentId, grantId: grant.id, amountRaw: purchase.amountRaw })
  })

/** Checks the grant of a reservation once more, in the transaction after which the payment may be on its way. */
export const checkReserved = (tx: Transaction, intentId: string, amountRaw: bigint): Checked =>
  Effect.gen(function* () {
    const grant = readGrant(tx, grantOfReservation(tx, intentId) ?? "")
    if (grant === undefined || grant.revokedAt !== null) return yield* marked("grant-required")
    if (grant.expiresAt <= tx.now) return yield* marked("grant-expired")
    yield* checkAmount(tx, grant, amountRaw, amountRaw)
  })

/** Checks that no other block builds on this one: the ledger would take only one of them. */
export const checkFrontier = (tx: Transaction, frontier: string): Checked =>
  // The provider has not seen the block of an earlier purchase yet.
  isFrontierUsed(tx, frontier) ? Effect.fail(marked("service-unavailable")) : Effect.void

/** Records a refused block that is nevertheless the head of the wallet: its amount is spent. */
export const noteFrontier = (tx: Transaction, frontier: string): void => {
  const intentId = settleConfirmed(tx, frontier)
  if (intentId !== undefined) spendReleased(tx, intentId)
}
