import { addressOfPublicKey, NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { isConfirmed, type LedgerEntry } from "../../platform/ports/DevelopmentLedger.ts"

/** Nodes write every value as text, and `""` for an empty list or object. */
export type NodeAnswer = {
  readonly [Member: string]: string | NodeAnswer | ReadonlyArray<string | NodeAnswer>
}

const ZEROS = "0".repeat(64)

const secondsOf = (moment: Date) => String(Math.floor(moment.getTime() / 1000))

const addressOfLink = ({ block }: LedgerEntry) =>
  addressOfPublicKey(NanoPublicKey.make(block.link.toLowerCase()))

/** Nodes call the first block of an account a receive, too. */
const subtypeOf = ({ subtype }: LedgerEntry) => (subtype === "open" ? "receive" : subtype)

const contentsOf = (entry: LedgerEntry) => ({
  ...entry.block,
  balance: entry.block.balance.toString(),
  link_as_account: addressOfLink(entry)
})

/** Lists entries as a node does. */
export const listOf = (entries: ReadonlyArray<string | NodeAnswer>) => (entries.length === 0 ? "" : entries)

/** Makes an object of entries as a node does. */
export const objectOf = (entries: ReadonlyArray<readonly [string, string | NodeAnswer]>) =>
  entries.length === 0 ? "" : Object.fromEntries(entries)

/** Answers `block_info`. */
export const blockInfo = (
  entry: LedgerEntry,
  successor: LedgerEntry | undefined,
  now: Date,
  isJsonBlock: boolean
): NodeAnswer => ({
  block_account: entry.block.account,
  amount: entry.amountRaw.toString(),
  balance: entry.block.balance.toString(),
  height: String(entry.height),
  local_timestamp: secondsOf(entry.createdAt),
  successor: successor?.hash ?? ZEROS,
  confirmed: String(isConfirmed(entry, now)),
  contents: isJsonBlock ? contentsOf(entry) : JSON.stringify(contentsOf(entry)),
  subtype: subtypeOf(entry)
})

/** Answers `account_info`. */
export const accountInfo = (
  account: {
    readonly head: LedgerEntry
    readonly first: LedgerEntry
    readonly confirmed: LedgerEntry | undefined
  },
  wanted: {
    readonly isConfirmedToo: boolean
    readonly isRepresentativeToo: boolean
    readonly receivable: string | undefined
  }
): NodeAnswer => {
  const { confirmed, first, head } = account
  const height = String(confirmed?.height ?? 0)
  return {
    frontier: head.hash,
    open_block: first.hash,
    representative_block: head.hash,
    balance: head.block.balance.toString(),
    modified_timestamp: secondsOf(head.createdAt),
    block_count: String(head.height),
    account_version: "2",
    confirmation_height: height,
    confirmation_height_frontier: confirmed?.hash ?? ZEROS,
    ...(wanted.isConfirmedToo
      ? {
          confirmed_balance: String(confirmed?.block.balance ?? 0n),
          confirmed_height: height,
          confirmed_frontier: confirmed?.hash ?? ZEROS
        }
      : {}),
    ...(wanted.isRepresentativeToo ? { representative: head.block.representative } : {}),
    ...(wanted.receivable === undefined ? {} : { pending: wanted.receivable, receivable: wanted.receivable })
  }
}

/** Makes a line of `account_history`. `source` is the block that a receive names. */
export const historyLine = (
  entry: LedgerEntry,
  source: LedgerEntry | undefined,
  now: Date,
  isRaw: boolean
): NodeAnswer => ({
  type: isRaw ? "state" : subtypeOf(entry),
  account: source === undefined ? addressOfLink(entry) : source.block.account,
  amount: entry.amountRaw.toString(),
  local_timestamp: secondsOf(entry.createdAt),
  height: String(entry.height),
  hash: entry.hash,
  confirmed: String(isConfirmed(entry, now)),
  ...(isRaw
    ? {
        subtype: subtypeOf(entry),
        representative: entry.block.representative,
        link: entry.block.link,
        balance: entry.block.balance.toString(),
        previous: entry.block.previous,
        work: entry.block.work,
        signature: entry.block.signature
      }
    : {})
})
