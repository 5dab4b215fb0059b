import { Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { marked } from "../failures/marked.ts"
import { askFor, requireGrant } from "../grants/Grants.ts"
import type { Transaction } from "../ports/StateStore.ts"
import { type Grant, readGrant } from "../state/grants.sql.ts"
import { secondsOfIntent } from "../state/intents.sql.ts"
import { openPurchase } from "../state/purchases.sql.ts"
import { grantOfReservation, insertReservation, sumsOf } from "../state/reservations.sql.ts"

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
  const nextStep = askFor({ kind: "spending", origin: grant.origin, amountRaw })
  return isWithin ? Effect.void : Effect.fail(marked("grant-exceeded", { nextStep }))
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
      const seconds = secondsOfIntent(tx, open.intentId)
      return yield* marked("intent-in-progress", {
        operationId: open.intentId,
        ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
        nextStep: `Call svc_operation with the operation_id ${open.intentId} and \`action: "resume"\``
      })
    }
    const { amountRaw, origin } = purchase
    const act = { kind: "spending", origin, amountRaw } as const
    const grant = yield* requireGrant(tx, act)
    if (grant.workflow !== WORKFLOW) {
      return yield* marked("grant-binding-mismatch", { nextStep: askFor(act) })
    }
    yield* checkAmount(tx, grant, purchase.amountRaw, 0n)
    insertReservation(tx, { intentId: purchase.intentId, grantId: grant.id, amountRaw: purchase.amountRaw })
  })

/** Checks the grant of a reservation once more, in the transaction after which the payment may be on its way. */
export const checkReserved = (tx: Transaction, intentId: string, amountRaw: bigint): Checked =>
  Effect.gen(function* () {
    const grant = readGrant(tx, grantOfReservation(tx, intentId) ?? "")
    if (grant === undefined) return yield* marked("grant-required")
    const nextStep = askFor({ kind: "spending", origin: grant.origin, amountRaw })
    if (grant.revokedAt !== null) return yield* marked("grant-required", { nextStep })
    if (grant.expiresAt <= tx.now) return yield* marked("grant-expired", { nextStep })
    yield* checkAmount(tx, grant, amountRaw, amountRaw)
  })
