import { Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { MAX_RAW, type NanoAddress, xnoOfRaw } from "../../../../schemas/platform/Nano.ts"
import { marked } from "../failures/marked.ts"
import { type Alone, makeAlone } from "../intents/alone.ts"
import { NanoProvider, type Receivable, type WalletHead } from "../ports/NanoProvider.ts"
import { StateStore } from "../ports/StateStore.ts"
import { readCredential } from "../state/credentials.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { lastSendAt, type WalletBlock } from "../state/walletBlocks.sql.ts"
import { receiveBlock, sendBlock } from "./blocks.ts"
import { makeBroadcast } from "./broadcast.ts"
import { noteFrontier } from "./frontier.ts"
import { type LocalWallet, walletOf } from "./wallet.ts"

/** Maximum number of sends that one run receives, as each needs work. */
const RECEIVED_MAX = 20

/** An amount to send, or the whole balance. */
export type Amount = bigint | "all"

/** A send that a person decides about. */
export interface Plan {
  readonly wallet: LocalWallet
  readonly head: WalletHead
  readonly to: NanoAddress
  readonly amountRaw: bigint
  /** The time of an equal send, which a person may have forgotten; in milliseconds since 1970. */
  readonly lastAt: number | undefined
}

const sumOf = (waiting: ReadonlyArray<Receivable>) =>
  waiting.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)

/** Returns the failure of a wallet that cannot pay, with the amount and the address that help. */
const unfunded = ({ account }: LocalWallet, head: WalletHead | undefined, missingRaw: bigint) =>
  marked(head === undefined ? "wallet-not-opened" : "wallet-unfunded", {
    nextStep: `Ask a person to send ${xnoOfRaw(missingRaw)} XNO or more to ${account}. It is received by the next purchase, or by \`svc-mcp wallet receive\``
  })

/** Makes the wallet of this directory. One process at a time makes its blocks. */
export const makeWallet = Effect.gen(function* () {
  const store = yield* StateStore
  const provider = yield* NanoProvider
  const alone = yield* makeAlone("wallet")
  const { broadcast, finish } = yield* makeBroadcast

  const own = store.read((tx) => {
    const seed = readCredential(tx, "wallet-seed")
    if (seed !== undefined) return Effect.succeed(walletOf(seed.value))
    return Effect.fail(
      marked(readIdentity(tx) === undefined ? "identity-not-selected" : "wallet-cannot-sign")
    )
  })

  /** Reads the head of the wallet, after blocks of earlier runs have come to an end. */
  const settled = Effect.fnUntraced(function* (run: Alone, { account }: LocalWallet) {
    const finished = yield* finish(run)
    const head = yield* provider.account(account)
    const late =
      head === undefined
        ? undefined
        : yield* run.save((tx) => Effect.sync(() => noteFrontier(tx, head.frontier)))
    const sent: WalletBlock | undefined = [finished, late].find((it) => it?.kind === "send")
    return { head, sent }
  })

  /** Receives sends until the balance is enough. Returns the new head. */
  const received = Effect.fnUntraced(function* (
    run: Alone,
    wallet: LocalWallet,
    from: {
      readonly head: WalletHead | undefined
      readonly waiting: ReadonlyArray<Receivable>
      readonly enoughRaw: Amount
    }
  ) {
    let { head } = from
    for (const send of from.waiting) {
      const isEnough = from.enoughRaw !== "all" && (head?.balanceRaw ?? 0n) >= from.enoughRaw
      if (isEnough) break
      const block = receiveBlock(wallet, head, send)
      // More than there is: the node does not tell the truth.
      if (block.balance > MAX_RAW) return yield* marked("service-unavailable")
      const { amountRaw } = send
      const frontier = yield* broadcast(run, wallet, { kind: "receive", block, amountRaw, recipient: null })
      head = { frontier, balanceRaw: block.balance, representative: block.representative }
    }
    return head
  })

  /** Receives as much as an amount needs. Fails if the wallet cannot pay it. */
  const covered = Effect.fnUntraced(function* (
    run: Alone,
    wallet: LocalWallet,
    head: WalletHead | undefined,
    amount: Amount
  ): Effect.fn.Return<WalletHead, ToolFailure> {
    const balanceRaw = head?.balanceRaw ?? 0n
    if (amount !== "all" && head !== undefined && balanceRaw >= amount) return head
    const waiting = (yield* provider.receivable(wallet.account)).slice(0, RECEIVED_MAX)
    const neededRaw = amount === "all" ? 1n : amount
    const reachableRaw = balanceRaw + sumOf(waiting)
    if (reachableRaw < neededRaw) return yield* unfunded(wallet, head, neededRaw - reachableRaw)
    const next = yield* received(run, wallet, { head, waiting, enoughRaw: amount })
    return next ?? (yield* marked("wallet-not-opened"))
  })

  return {
    own,

    /** Returns the head of the wallet on which a payment can build, after it received what the payment needs. */
    covering: (wallet: LocalWallet, amountRaw: bigint) =>
      alone((run) =>
        Effect.flatMap(settled(run, wallet), ({ head }) => covered(run, wallet, head, amountRaw))
      ),

    /** Receives the money that waits, the largest amounts first. Returns what came, and what still waits. */
    receive: alone((run) =>
      Effect.gen(function* () {
        const wallet = yield* own
        const { head } = yield* settled(run, wallet)
        const waiting = yield* provider.receivable(wallet.account)
        const taken = waiting.slice(0, RECEIVED_MAX)
        const last = yield* received(run, wallet, { head, waiting: taken, enoughRaw: "all" })
        return {
          account: wallet.account,
          receivedRaw: sumOf(taken),
          balanceRaw: last?.balanceRaw ?? 0n,
          waiting: waiting.length - taken.length
        }
      })
    ),

    /**
     * Prepares a send, for which money that waits is received if need be. `sent` is a send of an earlier run that this one
     * found on the ledger.
     */
    plan: (to: NanoAddress, amount: Amount) =>
      alone((run) =>
        Effect.gen(function* () {
          const wallet = yield* own
          const { head, sent } = yield* settled(run, wallet)
          const isSame = sent?.recipient === to && (amount === "all" ? true : sent.amountRaw === amount)
          if (sent !== undefined && isSame) return { sent, plan: undefined }
          const next = yield* covered(run, wallet, head, amount)
          const amountRaw = amount === "all" ? next.balanceRaw : amount
          const lastAt = yield* store.read((tx) => Effect.succeed(lastSendAt(tx, to, amountRaw)))
          return { sent, plan: { wallet, head: next, to, amountRaw, lastAt } satisfies Plan as Plan }
        })
      ),

    /** Sends what a person confirmed, on the head that they saw: if the wallet has moved on since, nothing is sent. */
    send: ({ amountRaw, head, to, wallet }: Plan) =>
      alone((run) =>
        broadcast(run, wallet, {
          kind: "send",
          block: sendBlock(wallet, head, to, amountRaw),
          amountRaw,
          recipient: to
        })
      )
  }
})
