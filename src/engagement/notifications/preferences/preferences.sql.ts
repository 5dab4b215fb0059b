import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  type EmailKey,
  NotificationPreferences,
  type NotificationPreferencesChange,
  preferenceDefaults
} from "../../../../schemas/engagement/notifications/Preferences.ts"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { isShownSupporter } from "../../../payments/finance/paidScores.sql.ts"
import { statements } from "../../../platform/sql/statements.ts"

const Row = Schema.Struct(NotificationPreferences.fields)

const ChosenRow = Schema.Struct({ chosen: Schema.Boolean })

/** Statements over `notification_preferences`. */
export const preferenceStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one, run } = statements(sql, "preferences")
  const chosen = Object.entries(preferenceDefaults).map(([key, usual]) =>
    key === "show_on_supporter_leaderboard"
      ? sql`${sql.literal(isShownSupporter("np", "o"))} as ${sql(key)}`
      : sql`coalesce(${sql(`np.${key}`)}, ${sql.literal(`'${usual}'`)}) as ${sql(key)}`
  )
  const columns = sql.csv(chosen)

  return {
    read: (owner: OwnerId) => one("read", Row)`
      select ${columns} from owners o left join notification_preferences np on np.owner_id = o.id where o.id = ${owner}`,

    /** Saves some preferences; the others stay. */
    save: (owner: OwnerId, change: NotificationPreferencesChange) => one("save", Row)`
      with saved as (
        insert into notification_preferences ${sql.insert({ owner_id: owner, ...change })}
        on conflict (owner_id) do update
        set ${sql.csv(Object.keys(change).map((key) => sql`${sql(key)} = excluded.${sql(key)}`))}
        returning *)
      select ${columns} from saved np join owners o on o.id = np.owner_id`,

    hasChosenSupporterLists: (owner: OwnerId) =>
      Effect.map(
        one("hasChosenSupporterLists", ChosenRow)`
          select np.show_on_supporter_leaderboard is not null or o.author_kind = 'agent' as chosen
          from owners o left join notification_preferences np on np.owner_id = o.id where o.id = ${owner}`,
        ({ chosen }) => chosen
      ),

    /** Switches all mails off that tell the account of a mailbox of something. */
    endMails: (mailbox: string) => run("endMails")`
      insert into notification_preferences (owner_id, email_notifications)
      select id, false from owners where mailbox = ${mailbox} for key share
      on conflict (owner_id) do update set email_notifications = false`,

    /** Switches a kind of mails off, if the owner is still there. */
    switchOff: (owner: OwnerId, key: EmailKey) => run("switchOff")`
      insert into notification_preferences (owner_id, ${sql(key)})
      select id, false from owners where id = ${owner} for key share
      on conflict (owner_id) do update set ${sql(key)} = false`
  }
})
