import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ownerIdOf } from "../../payments/settlement/paying.ts"
import { publisher } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"

const PATH = "/desk/notifications/settings"

layer(service(database("test_web_notification_settings")))("notification settings in a browser", (it) => {
  it.effect("An owner chooses kinds by channel, and a box without its tick switches its kind off", () =>
    Effect.gen(function* () {
      yield* publisher(1)
      const reader = yield* browser
      yield* signIn(reader, 1, PATH)
      const shown = yield* reader.get(PATH)
      assert.strictEqual(shown.status, 200)
      assertPrivate(shown)
      validated(shown.text)
      assert.match(shown.text, /name="notify_comment_reply" checked/)
      assert.match(shown.text, /name="notify_new_follow"\s*\/>/)
      assert.match(shown.text, /name="notify_new_follow_inapp" checked/)
      // The account signs in with a wallet.
      assert.include(shown.text, "so we can't email you yet")
      const saved = yield* reader.post(PATH, {
        email_notifications: "on",
        in_app_notifications: "on",
        notify_new_follow: "on",
        notify_comment_reply_inapp: "on"
      })
      assert.deepStrictEqual([saved.status, saved.headers.get("location")], [303, `${PATH}?saved`])
      const after = (yield* reader.get(`${PATH}?saved`)).text
      assert.include(after, "Your choices are saved.")
      assert.match(after, /name="notify_new_follow" checked/)
      assert.notMatch(after, /name="notify_comment_reply" checked/)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`select email_notifications, in_app_notifications, notify_new_follow, notify_comment_reply,
          notify_comment_reply_inapp, notify_new_comment_inapp, show_on_creator_leaderboards
          from notification_preferences`,
        [
          {
            email_notifications: true,
            in_app_notifications: true,
            notify_new_follow: true,
            notify_comment_reply: false,
            notify_comment_reply_inapp: true,
            notify_new_comment_inapp: false,
            // The page does not show it.
            show_on_creator_leaderboards: null
          }
        ]
      )
    })
  )

  it.effect("An owner chooses when mails tell of sales, and a choice of another tab stays", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accessToken } = yield* publisher(3)
      const reader = yield* browser
      yield* signIn(reader, 3)
      const chosen = Effect.map(
        reader.get(PATH),
        ({ text }) => /name="notify_sales" value="(\w+)" checked/.exec(text)?.[1]
      )
      assert.strictEqual(yield* chosen, "daily")
      const owner = yield* ownerIdOf(accessToken)
      const saved = Effect.map(
        sql`select notify_sales, notify_new_purchase from notification_preferences where owner_id = ${owner}`,
        ([row]) => row
      )
      const choose = (notify_sales: string, _sales: string) => reader.post(PATH, { notify_sales, _sales })
      yield* choose("at_once", "daily")
      assert.deepStrictEqual(yield* saved, { notify_sales: "at_once", notify_new_purchase: true })
      yield* choose("never", "at_once")
      assert.strictEqual(yield* chosen, "never")
      // The link of a mail switches the kind off; a choice here switches it on.
      yield* sql`update notification_preferences set notify_sales = 'daily', notify_new_purchase = false where owner_id = ${owner}`
      assert.strictEqual(yield* chosen, "never")
      yield* choose("daily", "never")
      assert.deepStrictEqual(yield* saved, { notify_sales: "daily", notify_new_purchase: true })
      // The form of an older tab, and values of no form, change nothing.
      for (const [value, began] of [
        ["at_once", "at_once"],
        ["weekly", "daily"],
        ["", ""]
      ] as const)
        assert.strictEqual((yield* choose(value, began)).status, 303)
      assert.strictEqual(yield* chosen, "daily")
    })
  )

  it.effect("A reader who is not signed in signs in first, and a form of another site changes nothing", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      const shown = yield* reader.get(PATH)
      assert.strictEqual(shown.headers.get("location"), `/sign-in?back=${encodeURIComponent(PATH)}`)
      yield* publisher(2)
      yield* signIn(reader, 2)
      const foreign = yield* reader.post(PATH, {}, { "sec-fetch-site": "cross-site" })
      assert.strictEqual(foreign.status, 403)
    })
  )
})
