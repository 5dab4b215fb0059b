import { Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { marked } from "../failures/marked.ts"
import type { Transaction } from "../ports/StateStore.ts"
import { isFrontierUsed, settleConfirmed } from "../state/purchases.sql.ts"
import { spendReleased } from "../state/reservations.sql.ts"
import { endWalletBlock, readWalletBlock, type WalletBlock } from "../state/walletBlocks.sql.ts"

/** Checks that no other block builds on this one: the ledger would take only one of them. */
export const checkFrontier = (tx: Transaction, frontier: string): Effect.Effect<void, ToolFailure> =>
  // The node has not seen the block of an earlier purchase, or of the wallet, yet.
  isFrontierUsed(tx, frontier) ? Effect.fail(marked("wallet-block-pending")) : Effect.void

/**
 * Records a refused block that is nevertheless the head of the wallet: its amount is spent. Returns the block if it is
 * one of the wallet's own.
 */
export const noteFrontier = (tx: Transaction, frontier: string): WalletBlock | undefined => {
  const intentId = settleConfirmed(tx, frontier)
  if (intentId !== undefined) spendReleased(tx, intentId)
  const own = readWalletBlock(tx, frontier)
  if (own?.status !== "refused") return undefined
  endWalletBlock(tx, frontier, "confirmed")
  return own
}
