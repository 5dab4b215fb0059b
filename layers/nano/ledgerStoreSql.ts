import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type NanoPublicKey, publicKeyOfAddress, RawAmount } from "../../schemas/platform/Nano.ts"
import { SignedBlock } from "../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../src/platform/nano/blocks.ts"
import type { LedgerEntry } from "../../src/platform/ports/DevelopmentLedger.ts"
import { LedgerUnavailable } from "../../src/platform/ports/NanoLedger.ts"
import type { LedgerStore } from "./ledgerBook.ts"

const Row = Schema.Struct({
  height: Schema.Int,
  subtype: Schema.Literals(["send", "receive", "open", "change"]),
  amount: RawAmount,
  block: SignedBlock,
  created_at: Schema.Date,
  confirmed_at: Schema.NullOr(Schema.Date)
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const encodeBlock = Schema.encodeSync(Schema.fromJsonString(SignedBlock))

const entryOfRow = (row: typeof Row.Type): LedgerEntry => ({
  hash: blockHash(row.block),
  block: row.block,
  account: publicKeyOfAddress(row.block.account),
  subtype: row.subtype,
  amountRaw: row.amount,
  height: row.height,
  createdAt: row.created_at,
  confirmedAt: row.confirmed_at
})

/** Advisory lock of the writers: the ledger takes one block at a time, in all processes. */
const WRITERS = 7_266_029

const orUnavailable = <A, E>(effect: Effect.Effect<A, E | SqlError.SqlError>) =>
  Effect.catchIf(
    effect,
    (error): error is SqlError.SqlError =>
      error instanceof Object && "_tag" in error && error._tag === "SqlError",
    (cause) =>
      Effect.andThen(
        Effect.logError("The development ledger's database failed", cause),
        Effect.fail(new LedgerUnavailable({ reason: "unreachable" }))
      )
  )

/** Makes a store of blocks in the database, which restarts and several processes share. */
export const makeLedgerStoreSql = (sql: SqlClient.SqlClient) => {
  const entries = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    statement.pipe(
      Effect.flatMap((rows) => Effect.orDie(decodeRows(rows))),
      Effect.map((rows) => rows.map(entryOfRow)),
      orUnavailable
    )
  const first = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    Effect.map(entries(statement), ([entry]) => Option.fromUndefinedOr(entry))

  const store: LedgerStore = {
    entry: (hash) => first(sql`select * from dev_ledger_blocks where hash = ${hexToBytes(hash)}`),
    chain: (account, count, fromHeight) =>
      entries(sql`
        select * from dev_ledger_blocks where account = ${hexToBytes(account)} and height <= ${fromHeight}::bigint
        order by height desc limit ${count}`),
    confirmedHead: (account, now) =>
      first(sql`
        select * from dev_ledger_blocks where account = ${hexToBytes(account)} and confirmed_at <= ${now}
        order by height desc limit 1`),
    isReceived: (send) =>
      sql`select from dev_ledger_blocks where link = ${hexToBytes(send)} and subtype in ('receive', 'open')`.pipe(
        Effect.map((rows) => rows.length > 0),
        orUnavailable
      ),
    sendsTo: (account, { count, isUnreceived, since }) =>
      entries(sql`
        select * from dev_ledger_blocks as send
        where link = ${hexToBytes(account)} and subtype = 'send'
          and (${since}::timestamptz is null or created_at >= ${since}::timestamptz)
          and (not ${isUnreceived}::boolean or not exists (
            select from dev_ledger_blocks where link = send.hash and subtype in ('receive', 'open')))
        order by created_at desc, height desc limit ${count}`),
    insert: ({ account, amountRaw, block, confirmedAt, createdAt, hash, height, subtype }) =>
      sql`
        insert into dev_ledger_blocks
          (hash, account, height, link, subtype, amount, block, created_at, confirmed_at)
        values (${hexToBytes(hash)}, ${hexToBytes(account)}, ${height}, ${hexToBytes(block.link)}, ${subtype},
          ${amountRaw.toString()}::numeric, ${encodeBlock(block)}::jsonb, ${createdAt}, ${confirmedAt})`.pipe(
        Effect.asVoid,
        orUnavailable
      ),
    alone: (write) =>
      orUnavailable(sql.withTransaction(Effect.andThen(sql`select pg_advisory_xact_lock(${WRITERS})`, write)))
  }

  return {
    store,
    /** Returns blocks of these accounts, and sends to them, that were confirmed in this time. */
    confirmedBetween: (keys: ReadonlyArray<NanoPublicKey>, after: Date, until: Date) =>
      entries(sql`
        select * from dev_ledger_blocks
        where confirmed_at > ${after} and confirmed_at <= ${until}
          and (encode(account, 'hex') = any(${keys}::text[]) or encode(link, 'hex') = any(${keys}::text[]))
        order by confirmed_at, height`)
  }
}
