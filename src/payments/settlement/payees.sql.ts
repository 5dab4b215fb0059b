import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { statements } from "../../platform/sql/statements.ts"

const PayeeRow = Schema.Struct({
  payout_address: NanoAddress,
  payout_revision: Schema.Int,
  accrued_raw: Schema.BigIntFromString
})

const SumRow = Schema.Struct({ taken_raw: Schema.BigIntFromString })

/** Statements over payout addresses of owners with the fees that they owe, and the accounts of these fees. */
export const payeeStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe, one, run } = statements(sql, "payees")

  return {
    /** Returns none for an owner without an address, and for a restricted one. */
    find: (owner: OwnerId) => maybe("find", PayeeRow)`
      select payout_address, payout_revision,
        (select coalesce(sum(accrued_raw), 0) from fee_accounts where owner_id = o.id)::text as accrued_raw
      from public_owners o where id = ${owner} and payout_address is not null`,

    // Two statements, because one that waited for the lock does not see the row with which another set the account
    // to zero.
    takeNegative: (owner: OwnerId) =>
      run("lock")`select from fee_accounts where owner_id = ${owner} order by shard for update`.pipe(
        Effect.andThen(one("takeNegative", SumRow)`
          with negative as (
            select -sum(accrued_raw) as amount from fee_accounts where owner_id = ${owner} having sum(accrued_raw) < 0),
          levelled as (
            insert into fee_accounts (owner_id, shard, accrued_raw) select ${owner}::uuid, 0, amount from negative
            on conflict (owner_id, shard) do update set accrued_raw = fee_accounts.accrued_raw + excluded.accrued_raw
          )
          select coalesce((select amount from negative), 0)::text as taken_raw`),
        Effect.map(({ taken_raw }) => taken_raw)
      )
  }
})
