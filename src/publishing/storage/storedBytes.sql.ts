import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

const Sum = Schema.Struct({ bytes: Schema.Finite })

/** Makes the function that returns the bytes that an account stores. */
export const storedBytes = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "AccountStorage")
  return (owner: OwnerId) => one("sum", Sum)`select account_stored_bytes(${owner}) as bytes`
})
