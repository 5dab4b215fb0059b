import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Blocks of the development ledger, which stays empty where the service has another ledger. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `block` is the block in a node's JSON; the columns beside it are for finding it.
  yield* sql`
    create table dev_ledger_blocks (
      hash bytea primary key,
      account bytea not null,
      height integer not null,
      link bytea not null,
      subtype text not null,
      amount numeric(39, 0) not null,
      block jsonb not null,
      created_at timestamptz not null,
      confirmed_at timestamptz,
      unique (account, height)
    )
  `
  yield* sql`create index dev_ledger_blocks_sends on dev_ledger_blocks (link, created_at) where subtype = 'send'`
  yield* sql`
    create unique index dev_ledger_blocks_received on dev_ledger_blocks (link) where subtype in ('receive', 'open')
  `
  yield* sql`create index dev_ledger_blocks_confirmed_at on dev_ledger_blocks (confirmed_at)`
})
