import { Result } from "effect"
import { type NanoPublicKey, publicKeyOfAddress } from "../../schemas/platform/Nano.ts"
import type { BlockHash, SignedBlock } from "../../schemas/platform/NanoBlock.ts"
import { blockHash, isSignedByAccount, workDifficulty, workRoot } from "../../src/platform/nano/blocks.ts"
import { isConfirmed, type LedgerEntry } from "../../src/platform/ports/DevelopmentLedger.ts"
import type { LedgerBlock, LedgerRefused } from "../../src/platform/ports/NanoLedger.ts"
import { later } from "../../src/platform/time/now.ts"

/** Refusals in a node's own words, each with the reason that the port gives for it. */
export const REFUSALS = {
  "Block work is less than threshold": "work",
  "Bad signature": "signature",
  "Old block": "other",
  "Gap previous block": "gap",
  "Gap source block": "gap",
  Fork: "fork",
  Unreceivable: "other",
  "Balance and amount delta do not match": "balance",
  "Invalid block balance for given subtype": "balance"
} as const satisfies Readonly<Record<string, LedgerRefused["reason"]>>
export type Refusal = keyof typeof REFUSALS

/** Blocks of the ledger that a new block refers to. */
export interface Surroundings {
  /** The newest block of the account. */
  readonly head: LedgerEntry | undefined
  /** The block that `previous` names. */
  readonly previous: LedgerEntry | undefined
  /** The block that `link` names. */
  readonly source: LedgerEntry | undefined
  /** True when a block received `source` already. */
  readonly isReceived: boolean
}

/** Circumstances in which the ledger takes a block. */
export interface Taking {
  readonly workThreshold: bigint
  readonly now: Date
  /** Null for a block that is never confirmed. */
  readonly confirmAfterMillis: number | null
}

const isZero = (hash: BlockHash) => /^0+$/.test(hash)

/** Judges a block that the ledger lacks, in the order of a node: its work, its signature, its place and its balance. */
export const judge = (
  block: SignedBlock,
  around: Surroundings,
  taking: Taking
): Result.Result<LedgerEntry, Refusal> => {
  if (workDifficulty(workRoot(block), block.work) < taking.workThreshold) {
    return Result.fail("Block work is less than threshold")
  }
  if (!isSignedByAccount(block)) return Result.fail("Bad signature")
  const account = publicKeyOfAddress(block.account)
  return placeOf(block, around).pipe(
    Result.flatMap(() => movementOf(block, account, around)),
    Result.map((movement) => entryOf(block, account, movement, around, taking))
  )
}

const placeOf = (block: SignedBlock, { head, previous }: Surroundings): Result.Result<void, Refusal> => {
  if (head === undefined) return isZero(block.previous) ? Result.void : Result.fail("Gap previous block")
  if (block.previous === head.hash) return Result.void
  return Result.fail(isZero(block.previous) || previous !== undefined ? "Fork" : "Gap previous block")
}

const movementOf = (
  block: SignedBlock,
  account: NanoPublicKey,
  { head, isReceived, source }: Surroundings
): Result.Result<Movement, Refusal> => {
  const amountRaw = block.balance - (head?.block.balance ?? 0n)
  if (amountRaw < 0n) return Result.succeed({ subtype: "send", amountRaw: -amountRaw })
  if (isZero(block.link) && head !== undefined) {
    return amountRaw === 0n
      ? Result.succeed({ subtype: "change", amountRaw })
      : Result.fail("Balance and amount delta do not match")
  }
  if (source === undefined) return Result.fail("Gap source block")
  if (!isSendTo(source, account) || isReceived) return Result.fail("Unreceivable")
  if (amountRaw !== source.amountRaw) return Result.fail("Balance and amount delta do not match")
  return Result.succeed({ subtype: head === undefined ? "open" : "receive", amountRaw })
}

/** Returns true for a block that sends to this account. */
export const isSendTo = (entry: LedgerEntry, account: NanoPublicKey) =>
  entry.subtype === "send" && entry.block.link.toLowerCase() === account

type Movement = Pick<LedgerEntry, "subtype" | "amountRaw">

/** Makes the entry of a block that follows the head of its account. */
export const entryOf = (
  block: SignedBlock,
  account: NanoPublicKey,
  movement: Movement,
  { head, source }: Pick<Surroundings, "head" | "source">,
  { confirmAfterMillis, now }: Omit<Taking, "workThreshold">
): LedgerEntry => ({
  ...movement,
  hash: blockHash(block),
  block,
  account,
  height: (head?.height ?? 0) + 1,
  createdAt: now,
  confirmedAt:
    confirmAfterMillis === null
      ? null
      : [head, movement.subtype === "send" ? undefined : source].reduce(
          latestConfirmation,
          later(now, confirmAfterMillis)
        )
})

/** No block is confirmed before those that it follows. */
const latestConfirmation = (latest: Date | null, earlier: LedgerEntry | undefined): Date | null => {
  if (earlier === undefined || latest === null) return latest
  return earlier.confirmedAt === null || earlier.confirmedAt > latest ? earlier.confirmedAt : latest
}

/** Returns the entry as the port shows it. */
export const ledgerBlockOf = (entry: LedgerEntry, now: Date): LedgerBlock => ({
  hash: entry.hash,
  account: entry.account,
  previous: entry.block.previous,
  subtype: entry.subtype,
  link: entry.block.link,
  amountRaw: entry.amountRaw,
  isConfirmed: isConfirmed(entry, now),
  ledgerTime: entry.createdAt
})
