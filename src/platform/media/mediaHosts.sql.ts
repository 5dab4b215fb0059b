import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "../sql/statements.ts"

/** Statements over `media_hosts`. */
export const mediaHostStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "mediaHosts")
  return {
    /** Adds the hosts that the service has, and returns every one that it had. */
    remember: (hosts: ReadonlyArray<string>) => many("remember", Schema.Struct({ host: Schema.String }))`
      with added as (
        insert into media_hosts (host) select unnest(${hosts}::text[]) on conflict do nothing returning host)
      select host from media_hosts union select host from added order by host`
  }
})
