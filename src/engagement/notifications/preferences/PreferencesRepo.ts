import { Context, Effect, Layer, type Option, Schema } from "effect"
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

/** Preferences that owners saved. */
export class PreferencesRepo extends Context.Service<
  PreferencesRepo,
  {
    readonly find: (owner: OwnerId) => Effect.Effect<Option.Option<NotificationPreferences>>
    /** Saves some preferences; the others stay. */
    readonly save: (
      owner: OwnerId,
      change: NotificationPreferencesChange
    ) => Effect.Effect<NotificationPreferences>
    /** Switches a kind of mails off, if the owner is still there. */
    readonly switchOff: (owner: OwnerId, key: EmailKey) => Effect.Effect<void>
  }
>()("pennypress/engagement/notifications/preferences/PreferencesRepo") {
  static readonly layer = Layer.effect(
    PreferencesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { maybe, one, run } = statements(sql, "PreferencesRepo")
      const columns = sql.csv(Object.keys(preferenceDefaults).map((key) => sql`${sql(key)}`))

      return PreferencesRepo.of({
        find: (owner) => maybe("find", Row)`
          select ${columns} from notification_preferences where owner_id = ${owner}`,

        save: (owner, change) => one("save", Row)`
          insert into notification_preferences ${sql.insert({ owner_id: owner, ...change })}
          on conflict (owner_id) do update
          set ${sql.csv(Object.keys(change).map((key) => sql`${sql(key)} = excluded.${sql(key)}`))}
          returning ${columns}`,

        switchOff: (owner, key) => run("switchOff")`
          insert into notification_preferences (owner_id, ${sql(key)})
          select id, false from owners where id = ${owner} for key share
          on conflict (owner_id) do update set ${sql(key)} = false`
      })
    })
  )
}
