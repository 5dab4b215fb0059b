import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "../../platform/sql/statements.ts"

const UntilRow = Schema.Struct({ until: Schema.Date })

/** Statements over `retired_handles`. */
export const retiredHandleStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe, run } = statements(sql, "retiredHandles")

  return {
    /** Keeps handles from other accounts until a moment. */
    retire: (hashes: ReadonlyArray<Uint8Array>, until: Date) =>
      Effect.forEach(
        hashes,
        (hash) => run("retire")`
          insert into retired_handles (hash, until) values (${hash}, ${until})
          on conflict (hash) do update set until = greatest(retired_handles.until, excluded.until)`,
        { discard: true }
      ),

    /** Finds any of these hashes of one handle, each under another key. */
    find: (hashes: ReadonlyArray<Uint8Array>, at: Date) => maybe("find", UntilRow)`
      select until from retired_handles where hash in ${sql.in(hashes)} and until > ${at}`,

    sweep: (at: Date) => run("sweep")`delete from retired_handles where until <= ${at}`
  }
})
