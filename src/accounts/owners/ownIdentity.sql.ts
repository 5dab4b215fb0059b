import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

const IdentityRow = Schema.Struct({
  wallet: Schema.NullOr(NanoPublicKey),
  email: Schema.NullOr(Schema.String),
  created_at: Timestamp
})

/** Makes the function that returns what an owner signs in with. */
export const ownIdentity = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "ownIdentity")

  return (owner: OwnerId) => one("find", IdentityRow)`
    select encode(wallet_public_key, 'hex') as wallet, email, wire_time(created_at) as created_at
    from owners where id = ${owner}`
})
