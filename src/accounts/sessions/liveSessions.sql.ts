import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

/** A session that has not ended; `browser` is null for that of a program. */
const LiveSessionRow = Schema.Struct({
  id: SessionId,
  method: Schema.Literals(["nano", "email"]),
  browser: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  expires_at: Timestamp
})

/** Makes the function that returns the newest 1,000 sessions of an owner, of browsers and of programs. */
export const liveSessions = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "liveSessions")

  return (owner: OwnerId, at: Date) => many("of", LiveSessionRow)`
    select s.id, s.method, b.label as browser, wire_time(s.created_at) as created_at,
      wire_time(s.expires_at) as expires_at
    from sessions s left join browser_sessions b on b.session_id = s.id
    where s.owner_id = ${owner} and s.revoked_at is null and s.expires_at > ${at}
    order by s.created_at desc, s.id desc limit 1000`
})
