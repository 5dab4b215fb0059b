import { Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import type { OwnerId, PurchaseId } from "../../../schemas/platform/Ids.ts"

/**
 * Sets the buyer of a purchase without an account, in one statement. The account supported the author on the day of the
 * purchase. Changes nothing for an account that has the Post already.
 */
export const adoptStatement =
  (sql: SqlClient.SqlClient) =>
  (purchase: PurchaseId, owner: OwnerId): Effect.Effect<boolean> => {
    const adopted = sql<{ readonly is_theirs: boolean }>`
      with mine as materialized (
        select s.* from settlements s join purchases p on p.settlement_id = s.id where p.id = ${purchase} for no key update of s
      ), adopted as (
        update settlements s set buyer_id = ${owner}, identity = uuid_send(${owner}::uuid) from mine
        where s.id = mine.id and mine.buyer_id is null
          and not exists (select from purchases o where o.post_id = mine.post_id and o.buyer_id = ${owner})
        returning s.*
      ), given as (
        update purchases p set buyer_id = ${owner} from adopted where p.settlement_id = adopted.id
      ), supported as (
        insert into support_daily (owner_id, day, sales, sales_raw)
        select ${owner}::uuid, (settled_at at time zone 'UTC')::date, 1, amount_raw from adopted
        on conflict (owner_id, day) do update
        set sales = support_daily.sales + 1, sales_raw = support_daily.sales_raw + excluded.sales_raw
      )
      select exists (select from adopted) or exists (select from mine where buyer_id = ${owner}) as is_theirs`
    // In a savepoint, so that a refusal leaves the surrounding transaction whole.
    return sql.withTransaction(adopted).pipe(
      Effect.map(([row]) => row?.is_theirs ?? false),
      // The account is claiming the Post at this very moment.
      Effect.catchIf(
        (error) => SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation",
        () => Effect.succeed(false)
      ),
      Effect.orDie
    )
  }
