import { Effect, Option } from "effect"
import type { BlockHash, SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import type { LedgerRefused, LedgerUnavailable, NanoLedger } from "../../platform/ports/NanoLedger.ts"
import type { SettlementRow } from "./settlementRow.ts"

/**
 * The ledger's word on a block: it is confirmed, it can never be, or that is not known yet. A missing or doubtful
 * answer is `waiting`, so that a payment with an unknown outcome is never refused. `sent` waits too: the ledger has just
 * taken the block. If the ledger refuses work that the
 * service generated, it is generated again, because the payer has no part in it.
 */
export type Verdict =
  | { readonly is: "confirmed" }
  | { readonly is: "refused"; readonly code: string }
  | { readonly is: "work refused" }
  | { readonly is: "sent" }
  | { readonly is: "waiting"; readonly code: WaitCode }

/**
 * The reason why the outcome is not known yet. The others are refusals that another node, or the same node later, may
 * not repeat.
 */
export type WaitCode = "unconfirmed" | "ledger_unavailable" | "work_unavailable" | "fork" | "gap" | "other"

export const waiting = (code: WaitCode): Verdict => ({ is: "waiting", code })

/** Maximum number of blocks of one account that are read to find the one that replaced ours. */
const CHAIN_MAX = 200

/** Refusals that every node gives to the same block, whenever it is asked. */
const FINAL = { signature: "invalid_signature", balance: "amount_mismatch", work: "invalid_work" } as const

type Block = Pick<SettlementRow, "block_hash" | "previous" | "payer_key">

/** Returns true when the network has confirmed another block on the same `previous`. */
const isForked = Effect.fnUntraced(function* (
  ledger: NanoLedger["Service"],
  { block_hash, payer_key, previous }: Block
) {
  const account = yield* ledger.account(payer_key)
  let hash: BlockHash | null = Option.getOrNull(account)?.confirmedFrontier ?? null
  // A node that is behind has a confirmed frontier before `previous`, and is never asked further than to the first block.
  for (let read = 0; read < CHAIN_MAX && hash !== null && hash !== previous; read++) {
    const block: Option.Option<{ readonly previous: BlockHash; readonly isConfirmed: boolean }> =
      yield* ledger.block(hash)
    if (Option.isNone(block) || !block.value.isConfirmed) return false
    if (block.value.previous === previous) return hash !== block_hash
    hash = block.value.previous
  }
  return false
})

/** Looks for the block on the ledger. */
export const look = Effect.fnUntraced(function* (
  ledger: NanoLedger["Service"],
  { block_hash }: Block
): Effect.fn.Return<"confirmed" | "seen" | "missing", LedgerUnavailable> {
  const found = yield* ledger.block(block_hash)
  if (Option.isNone(found)) return "missing"
  return found.value.isConfirmed ? "confirmed" : "seen"
})

/** Returns the meaning of a refusal by the ledger for a block. */
const judge = Effect.fnUntraced(function* (
  ledger: NanoLedger["Service"],
  row: Block,
  { reason }: LedgerRefused,
  isWorkOurs: boolean
): Effect.fn.Return<Verdict, LedgerUnavailable> {
  if (reason === "gap" || reason === "other") return waiting(reason)
  if (reason === "work" && isWorkOurs) return { is: "work refused" }
  if (reason === "fork" && !(yield* isForked(ledger, row))) return waiting(reason)
  // The last check before the payer is asked to sign again: the ledger does not have our block.
  const seen = yield* look(ledger, row)
  if (seen === "confirmed") return { is: "confirmed" }
  if (seen === "seen") return waiting("unconfirmed")
  return { is: "refused", code: reason === "fork" ? "fork" : FINAL[reason] }
})

/** Publishes the block. Safe to repeat: the ledger takes a block once. */
export const publish = (
  ledger: NanoLedger["Service"],
  row: Block,
  block: SignedBlock,
  isWorkOurs: boolean
): Effect.Effect<Verdict> =>
  ledger.publish(block).pipe(
    Effect.as<Verdict>({ is: "sent" }),
    Effect.catchTag("LedgerRefused", (refused) => judge(ledger, row, refused, isWorkOurs)),
    Effect.catchTag("LedgerUnavailable", () => Effect.succeed(waiting("ledger_unavailable")))
  )
