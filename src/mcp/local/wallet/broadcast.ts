import { Clock, Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { NanoAddress } from "../../../../schemas/platform/Nano.ts"
import type { StateBlock } from "../../../../schemas/platform/NanoBlock.ts"
import { WORK_THRESHOLDS, workRoot } from "../../../platform/nano/blocks.ts"
import { marked } from "../failures/marked.ts"
import type { Alone } from "../intents/alone.ts"
import { NanoProvider } from "../ports/NanoProvider.ts"
import { StateStore } from "../ports/StateStore.ts"
import { isLoopback, Origin } from "../service/Origin.ts"
import {
  endWalletBlock,
  openWalletBlock,
  saveWalletBlock,
  type WalletBlock
} from "../state/walletBlocks.sql.ts"
import { signedBlock } from "./blocks.ts"
import { checkFrontier } from "./frontier.ts"
import type { LocalWallet } from "./wallet.ts"

/** Time for which a block is watched until it is confirmed, and the pause between two looks. */
const CONFIRMATION_MILLIS = 30_000
const LOOK_MILLIS = 500

type Ended = Effect.Effect<"confirmed" | "refused", ToolFailure>

/** A block to give to the ledger. */
interface Made {
  readonly kind: WalletBlock["kind"]
  readonly block: StateBlock
  readonly amountRaw: bigint
  readonly recipient: NanoAddress | null
}

/**
 * Makes the way of the wallet's own blocks to the ledger. A block is on the disk, signed, before it is sent; after a crash
 * the same block is sent again, which the ledger takes once.
 */
export const makeBroadcast = Effect.gen(function* () {
  const store = yield* StateStore
  const provider = yield* NanoProvider
  const isLeast = !isLoopback(yield* Origin)

  /** Waits until the ledger has a block for good. */
  const confirmed = Effect.fnUntraced(function* ({ hash }: WalletBlock) {
    const end = (yield* Clock.currentTimeMillis) + CONFIRMATION_MILLIS
    while ((yield* provider.block(hash)) !== "confirmed") {
      if ((yield* Clock.currentTimeMillis) >= end) return yield* marked("wallet-block-pending")
      yield* Effect.sleep(LOOK_MILLIS)
    }
    return "confirmed" as const
  })

  /** Returns true for a block that the ledger can still take: its account still stands where the block begins. */
  const isPossible = ({ block, kind }: WalletBlock) =>
    kind === "receive"
      ? Effect.succeed(false)
      : Effect.map(provider.account(block.account), (head) => head?.frontier === block.previous)

  /** Gives a saved block to the ledger, and follows it. A failure leaves it open, for the next try. */
  const followed = Effect.fnUntraced(function* (
    saved: WalletBlock
  ): Effect.fn.Return<"confirmed" | "refused", ToolFailure> {
    const answer = yield* provider.publish(saved.block, saved.kind)
    if (answer === "accepted") return yield* confirmed(saved)
    if ((yield* provider.block(saved.hash)) !== "absent") return yield* confirmed(saved)
    if (answer === "gap" && (yield* isPossible(saved))) return yield* marked("wallet-block-pending")
    return "refused"
  })

  const ended = (alone: Alone, saved: WalletBlock): Ended =>
    Effect.tap(followed(saved), (status) =>
      alone.save((tx) => Effect.sync(() => endWalletBlock(tx, saved.hash, status)))
    )

  return {
    /** Follows a block that an earlier run left open. Returns the block if the ledger has it. */
    finish: Effect.fnUntraced(function* (alone: Alone) {
      const open = yield* store.read((tx) => Effect.succeed(openWalletBlock(tx)))
      if (open === undefined) return undefined
      return (yield* ended(alone, open)) === "confirmed" ? open : undefined
    }),

    /** Signs a block, saves it, and gives it to the ledger. Returns when the ledger has it for good. */
    broadcast: Effect.fnUntraced(function* (alone: Alone, wallet: LocalWallet, made: Made) {
      const work = yield* provider.work(workRoot(made.block), WORK_THRESHOLDS[made.kind], isLeast)
      const signed = { ...made, ...signedBlock(wallet, made.block, work) }
      yield* alone.save((tx) =>
        Effect.map(checkFrontier(tx, made.block.previous), () => saveWalletBlock(tx, signed))
      )
      const status = yield* ended(alone, { ...signed, status: "sending" })
      return status === "confirmed" ? signed.hash : yield* marked("wallet-block-refused")
    })
  }
})
