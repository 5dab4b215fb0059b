import type { SqlClient } from "effect/sql"

/**
 * The state at a moment of `gifts g`. Each redemption locks the row of the gift, so no two can take the last
 * redemption.
 */
export const giftState = (sql: SqlClient.SqlClient, at: Date) => sql`case
  when g.revoked_at is not null then 'revoked'
  when g.expires_at <= ${at} then 'expired'
  when g.redemptions >= g.max_redemptions then 'exhausted'
  else 'active' end`
