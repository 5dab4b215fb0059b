import { Struct } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import {
  emailKeys,
  preferenceDefaults,
  type PreferenceKey
} from "../../../../schemas/engagement/notifications/Preferences.ts"
import { isRestricted } from "../../../accounts/owners/owners.sql.ts"

/** The kind of work, as the bell, metrics and logs name it. */
export const NOTIFICATION_MAILS = "notification_mails"

/**
 * The condition that an owner wants mails of a type, and may get them: their mailbox is confirmed, and the account is
 * not restricted, except for issues of the account. The owner is `o`, and their preferences are `np`, all null for an owner who saved none.
 */
export const wantsMail = (sql: SqlClient.SqlClient, type: Statement.Fragment) => {
  const chosen = (key: PreferenceKey) =>
    sql`coalesce(${sql(`np.${key}`)}, ${preferenceDefaults[key] ? sql`true` : sql`false`})`
  const mayGet = sql`(${type} = 'account_issue' or not ${sql.literal(isRestricted("o"))})`
  return sql`o.email is not null and ${mayGet} and ${chosen("email_notifications")} and ${sql.or(
    Struct.keys(emailKeys).map((name) => sql`(${type} = ${name} and ${chosen(emailKeys[name])})`)
  )}`
}

/**
 * The columns of a mail that is to be posted. The cause writes the row in the statement of its notifications, so that
 * neither exists without the other.
 */
export const mailsDue = (sql: SqlClient.SqlClient) =>
  sql`notification_mails (id, recipient_id, type, created_at, actor_id, post_id, comment_id, code, due_at)`
