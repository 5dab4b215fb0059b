import type { SqlClient } from "effect/sql"

/** The state at a moment of `gifts g`. The row of a gift is locked by each redemption, so no two see the last one free. */
export const giftState = (sql: SqlClient.SqlClient, at: Date) => sql`case
  when g.revoked_at is not null then 'revoked'
  when g.expires_at <= ${at} then 'expired'
  when g.redemptions >= g.max_redemptions then 'exhausted'
  else 'active' end`
