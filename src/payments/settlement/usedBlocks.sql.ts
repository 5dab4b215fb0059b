import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"

/** First key of the advisory lock on a block's use; the second is the number of the block. */
const LOCK = 7_104_230

/**
 * Locks a block until the transaction ends, so that of several concurrent uses the second sees the first. A block is a
 * payment, a refund or the payment of an obligation. These are three tables, and no unique key spans them. Take it
 * before the row that the block is for.
 */
export const holdBlock = (sql: SqlClient.SqlClient, block: BlockHash): Effect.Effect<void> =>
  Effect.orDie(Effect.asVoid(sql`select pg_advisory_xact_lock(${LOCK}, hashtext(${block.toUpperCase()}))`))

/** The condition that a block paid for something. A refused one did not: its payer may send it for another thing. */
export const isPayment = (sql: SqlClient.SqlClient, block: BlockHash) =>
  sql`exists (select from settlements used where used.block_hash = decode(${block}, 'hex') and used.state <> 'refused')`

/** The condition that a block is a refund, or paid an obligation. */
export const isPaidOut = (sql: SqlClient.SqlClient, block: BlockHash) => sql`(
  exists (select from refunds used where used.block_hash = decode(${block}, 'hex'))
  or exists (select from obligations used where used.block_hash = decode(${block}, 'hex')))`
