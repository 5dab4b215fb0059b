import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  type EmailKey,
  NotificationPreferences,
  type NotificationPreferencesChange,
  preferenceDefaults
} from "../../../../schemas/engagement/notifications/Preferences.ts"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"

const Row = Schema.Struct(NotificationPreferences.fields)

/** Statements over `notification_preferences`. */
export const preferenceStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe, one, run } = statements(sql, "preferences")
  const columns = sql.csv(Object.keys(preferenceDefaults).map((key) => sql`${sql(key)}`))

  return {
    find: (owner: OwnerId) => maybe("find", Row)`
      select ${columns} from notification_preferences where owner_id = ${owner}`,

    /** Saves some preferences; the others stay. */
    save: (owner: OwnerId, change: NotificationPreferencesChange) => one("save", Row)`
      insert into notification_preferences ${sql.insert({ owner_id: owner, ...change })}
      on conflict (owner_id) do update
      set ${sql.csv(Object.keys(change).map((key) => sql`${sql(key)} = excluded.${sql(key)}`))}
      returning ${columns}`,

    /** Switches a kind of mails off, if the owner is still there. */
    switchOff: (owner: OwnerId, key: EmailKey) => run("switchOff")`
      insert into notification_preferences (owner_id, ${sql(key)})
      select id, false from owners where id = ${owner} for key share
      on conflict (owner_id) do update set ${sql(key)} = false`
  }
})
