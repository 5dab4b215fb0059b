import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { BlockHash, type SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import type { LedgerBook } from "../../../src/platform/ports/DevelopmentLedger.ts"
import { payerOn } from "../../support/actors/payer.ts"

const WALLETS = 3

const wallet = fc.nat(WALLETS - 1)
const pick = fc.nat(100)

/** Steps on a ledger, right and wrong. `which` picks among what is there. */
export const scripts = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("faucet" as const), wallet, xno: fc.nat(5) }) },
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("send" as const), wallet, to: wallet, raw: pick })
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("receive" as const), wallet, which: pick }) },
    fc.record({ kind: fc.constant("receive too much" as const), wallet, which: pick }),
    fc.record({ kind: fc.constant("send after" as const), wallet, to: wallet, which: pick }),
    fc.record({ kind: fc.constant("gap" as const), wallet }),
    fc.record({ kind: fc.constant("change" as const), wallet }),
    fc.record({ kind: fc.constant("again" as const), which: pick }),
    fc.record({ kind: fc.constant("forge" as const), wallet, to: wallet })
  ),
  { minLength: 10, maxLength: 25 }
)
type Step =
  (typeof scripts extends fc.Arbitrary<infer Steps> ? Steps : never) extends ReadonlyArray<infer One>
    ? One
    : never

interface Sent {
  readonly hash: BlockHash
  readonly to: number
  readonly raw: bigint
  isReceived: boolean
}

/** The rules of a ledger, told once more: balances, chains and sends. It says what a ledger answers to a step. */
export const modelOf = (book: LedgerBook) => {
  const payers = Array.from({ length: WALLETS }, (_, number) => payerOn(book, number + 1))
  const balances = payers.map(() => 0n)
  const chains: ReadonlyArray<Array<BlockHash>> = payers.map(() => [])
  const sends: Array<Sent> = []
  const blocks: Array<SignedBlock> = []
  let supply = 0n

  const process = (block: SignedBlock) =>
    Effect.map(Effect.result(book.process(block)), (result) =>
      Result.isSuccess(result) ? result.success.subtype : (result.failure as { words?: string }).words
    )
  const put = (number: number, block: SignedBlock) => {
    chains[number]!.push(blockHash(block))
    balances[number] = block.balance
    blocks.push(block)
  }
  const zeros = "0".repeat(64)
  const linkTo = (number: number) => BlockHash.make(payers[number]!.key.toUpperCase())

  /** Plays a step. Returns the answer of the ledger and the expected one. */
  const play = Effect.fnUntraced(function* (step: Step) {
    if (step.kind === "faucet") {
      const raw = BigInt(step.xno) * RAW_PER_XNO + 1n
      const sent = yield* book.faucet(payers[step.wallet]!.key, raw)
      sends.push({ hash: sent.hash, to: step.wallet, raw, isReceived: false })
      supply += raw
      return ["send", sent.subtype]
    }
    if (step.kind === "again") {
      const block = blocks[step.which % Math.max(1, blocks.length)]
      return block === undefined ? [] : ["Old block", yield* process(block)]
    }
    const payer = payers[step.wallet]!
    const balance = balances[step.wallet]!
    const isOpen = chains[step.wallet]!.length > 0
    switch (step.kind) {
      case "send": {
        const raw = (balance * BigInt(step.raw)) / 100n
        if (raw === 0n) return []
        const block = yield* payer.send(payers[step.to]!.account, raw)
        put(step.wallet, block)
        sends.push({ hash: blockHash(block), to: step.to, raw, isReceived: false })
        return ["send", yield* process(block)]
      }
      case "send after": {
        const chain = chains[step.wallet]!
        const after = chain[step.which % Math.max(1, chain.length)]
        if (after === undefined || after === chain.at(-1)) return []
        const block = yield* payer.next(() => ({ balance: 7n, link: linkTo(step.to) }), after)
        return [
          blocks.some((it) => blockHash(it) === blockHash(block)) ? "Old block" : "Fork",
          yield* process(block)
        ]
      }
      case "receive":
      case "receive too much": {
        const send = sends[step.which % Math.max(1, sends.length)]
        const isTooMuch = step.kind === "receive too much"
        const link = send?.hash ?? BlockHash.make("A".repeat(64))
        const raw = (send?.raw ?? 1n) + (isTooMuch ? 1n : 0n)
        const block = yield* payer.next((before) => ({ balance: before + raw, link }))
        const answer = yield* process(block)
        if (send === undefined) return ["Gap source block", answer]
        if (send.to !== step.wallet || send.isReceived) return ["Unreceivable", answer]
        if (isTooMuch) return ["Balance and amount delta do not match", answer]
        send.isReceived = true
        put(step.wallet, block)
        return [isOpen ? "receive" : "open", answer]
      }
      case "gap": {
        const block = yield* payer.next(() => ({ balance: 1n, link: linkTo(0) }))
        const lost = { ...block, previous: BlockHash.make("B".repeat(64)) }
        return ["Gap previous block", yield* process(payer.signed(lost))]
      }
      case "change": {
        const block = yield* payer.next((before) => ({ balance: before, link: BlockHash.make(zeros) }))
        const answer = yield* process(block)
        if (!isOpen) return ["Gap source block", answer]
        put(step.wallet, block)
        return ["change", answer]
      }
      case "forge": {
        const block = yield* payer.next(() => ({ balance: 0n, link: linkTo(step.to) }))
        const signature = payers[(step.wallet + 1) % WALLETS]!.signed(block).signature
        return ["Bad signature", yield* process({ ...block, signature })]
      }
    }
  })

  /** Reads what the ledger and the model hold in the end. */
  const end = Effect.gen(function* () {
    const held = yield* Effect.forEach(payers, ({ head }) =>
      Effect.map(head, (it) => it?.block.balance ?? 0n)
    )
    const waiting = yield* Effect.forEach(payers, ({ key }) => book.receivable(key, 1000))
    const inChains = yield* Effect.forEach(payers, ({ key }) => book.chain(key, 1000))
    const sum = (amounts: ReadonlyArray<bigint>) => amounts.reduce((total, raw) => total + raw, 0n)
    return {
      ledger: {
        held,
        waiting: waiting.map((them) => them.map(({ hash }) => hash).toSorted()),
        chains: inChains.map((chain) => chain.map(({ hash }) => hash).toReversed()),
        total: sum(held) + sum(waiting.flat().map(({ amountRaw }) => amountRaw))
      },
      model: {
        held: balances,
        waiting: payers.map((_, number) =>
          sends
            .filter(({ isReceived, to }) => to === number && !isReceived)
            .map(({ hash }) => hash)
            .toSorted()
        ),
        chains,
        total: supply
      }
    }
  })

  return { play, end }
}
