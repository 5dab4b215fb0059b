import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { emailKeys, preferenceDefaults } from "../../../../schemas/engagement/notifications/Preferences.ts"
import { refusalOf } from "../../../support/actors/author.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { readerOf } from "../reader.ts"

const { notify_sales: _, ...booleans } = preferenceDefaults
const keys = Struct.keys(booleans)

layer(service(database("test_notification_preferences")))("preferences (spec 2.9)", (it) => {
  it.effect("Every key of the specification is a preference, and each notify_ key has an _inapp twin", () =>
    Effect.gen(function* () {
      const reader = yield* readerOf(1)
      const { body } = yield* reader.send("GET", "/notification-preferences")
      const notify = Object.values(emailKeys)
      assert.deepStrictEqual(
        new Set(Object.keys(body)),
        new Set([
          "email_notifications",
          "in_app_notifications",
          "push_notifications",
          "show_on_creator_leaderboards",
          "show_on_supporter_leaderboard",
          "notify_sales",
          ...notify,
          ...notify.map((key) => `${key}_inapp`)
        ])
      )
      assert.deepStrictEqual(body, preferenceDefaults)
    })
  )

  it.effect("Each key is saved alone, the others stay, and the answer is the saved row", () =>
    Effect.gen(function* () {
      const [reader, other] = yield* Effect.all([readerOf(2), readerOf(3)])
      const saved: Record<string, boolean | string> = { ...preferenceDefaults }
      for (const key of keys) {
        saved[key] = !saved[key]
        assert.deepStrictEqual((yield* reader.prefer({ [key]: saved[key] })).body, saved)
      }
      for (const notify_sales of ["at_once", "never", "daily", "at_once"]) {
        saved["notify_sales"] = notify_sales
        assert.deepStrictEqual((yield* reader.prefer({ notify_sales })).body, saved)
      }
      assert.deepStrictEqual((yield* reader.send("GET", "/notification-preferences")).body, saved)
      assert.deepStrictEqual((yield* reader.prefer(preferenceDefaults)).body, preferenceDefaults)
      assert.deepStrictEqual((yield* other.send("GET", "/notification-preferences")).body, preferenceDefaults)
    })
  )

  it.effect("The first choice leaves the other keys at their defaults", () =>
    Effect.gen(function* () {
      const reader = yield* readerOf(4)
      const { body } = yield* reader.prefer({ push_notifications: true })
      assert.deepStrictEqual(body, { ...preferenceDefaults, push_notifications: true })
    })
  )

  it.effect("Lists of supporters show people by their choice, and agents until they choose otherwise", () =>
    Effect.gen(function* () {
      const [person, agent] = yield* Effect.all([readerOf(6), readerOf(7)])
      const sql = yield* SqlClient.SqlClient
      const isShown = (reader: typeof person) =>
        Effect.map(
          reader.send("GET", "/notification-preferences"),
          ({ body }) => body.show_on_supporter_leaderboard
        )
      // A choice about something else is none about this.
      for (const reader of [person, agent]) yield* reader.prefer({ push_notifications: true })
      assert.deepStrictEqual([yield* isShown(person), yield* isShown(agent)], [false, false])
      yield* sql`update owners set author_kind = 'agent' where id = ${agent.id}`
      assert.deepStrictEqual([yield* isShown(person), yield* isShown(agent)], [false, true])
      const off = yield* agent.prefer({ show_on_supporter_leaderboard: false })
      assert.isFalse(off.body.show_on_supporter_leaderboard)
      assert.isTrue(
        (yield* person.prefer({ show_on_supporter_leaderboard: true })).body.show_on_supporter_leaderboard
      )
      assert.deepStrictEqual([yield* isShown(person), yield* isShown(agent)], [true, false])
    })
  )

  it.effect("An unknown or non-boolean key is a 400 that names it, and nothing is saved", () =>
    Effect.gen(function* () {
      const reader = yield* readerOf(5)
      const refused = (body: unknown) => Effect.map(reader.prefer(body), refusalOf)
      const errors = [
        [{}, "body required"],
        [{ notify_new_likes: true }, "notify_new_likes unknown"],
        [{ owner_id: "x", notify_summaries: false }, "owner_id unknown"],
        [{ notify_summaries: "false" }, "notify_summaries invalid"],
        [{ notify_summaries: null }, "notify_summaries invalid"],
        [{ notify_sales: "weekly" }, "notify_sales invalid"],
        [{ notify_sales: true, push_notifications: true }, "notify_sales invalid"],
        [{ notify_sales_inapp: true }, "notify_sales_inapp unknown"],
        [{ notify_new_post_inapp: 1, push_notifications: false }, "notify_new_post_inapp invalid"]
      ] as const
      for (const [body, error] of errors)
        assert.deepStrictEqual(yield* refused(body), [400, "invalid_members", error])
      assert.deepStrictEqual(
        (yield* reader.send("GET", "/notification-preferences")).body,
        preferenceDefaults
      )
    })
  )
})
