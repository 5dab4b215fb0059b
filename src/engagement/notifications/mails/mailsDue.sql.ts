import { Struct } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import {
  preferenceDefaults,
  type PreferenceKey
} from "../../../../schemas/engagement/notifications/Preferences.ts"
import { isRestricted } from "../../../accounts/owners/owners.sql.ts"
import { mailKeys, type MailType } from "./mailKinds.ts"

/** The kind of work, as the bell, metrics and logs name it. */
export const NOTIFICATION_MAILS = "notification_mails"

const chosen = (sql: SqlClient.SqlClient, key: PreferenceKey) =>
  sql`coalesce(${sql(`np.${key}`)}, ${preferenceDefaults[key] ? sql`true` : sql`false`})`

const salesMail = (sql: SqlClient.SqlClient) =>
  sql`coalesce(np.notify_sales, ${preferenceDefaults.notify_sales})`

/** The condition that a sale or tip of this moment comes to an owner in a mail of its own, if they want one. */
export const wantsSalesAtOnce = (sql: SqlClient.SqlClient) => sql`${salesMail(sql)} = 'at_once'`

/** The types of mails that tell of sales and tips, one or all of a day. Only the time of a sale decides between them. */
const TELLS_SALES: ReadonlySet<MailType> = new Set(["new_purchase", "daily_sales"])

/** The condition that an owner with the preferences `np` chose a type of mails. */
const hasChosen = (sql: SqlClient.SqlClient, type: MailType) =>
  TELLS_SALES.has(type)
    ? sql`(${chosen(sql, mailKeys[type])} and ${salesMail(sql)} <> 'never')`
    : chosen(sql, mailKeys[type])

/**
 * The condition that an owner wants mails of a type, and may get them: their mailbox is confirmed, and the account is
 * not restricted, except for issues of the account. The owner is `o`, and their preferences are `np`, all null for an owner
 * who saved none.
 */
export const wantsMail = (sql: SqlClient.SqlClient, type: Statement.Fragment) => {
  const mayGet = sql`(${type} = 'account_issue' or not ${sql.literal(isRestricted("o"))})`
  return sql`o.email is not null and ${mayGet} and ${chosen(sql, "email_notifications")} and ${sql.or(
    Struct.keys(mailKeys).map((name) => sql`(${type} = ${name} and ${hasChosen(sql, name)})`)
  )}`
}

/**
 * The columns of a mail that is to be posted. The cause writes the row in the statement of its notifications, so that
 * neither exists without the other.
 */
export const mailsDue = (sql: SqlClient.SqlClient) =>
  sql`notification_mails (id, recipient_id, type, created_at, actor_id, post_id, comment_id, code, due_at)`
