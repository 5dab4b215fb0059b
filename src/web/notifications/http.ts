import { Effect, Layer, Option, Schema } from "effect"
import {
  type NotificationPreferencesChange,
  SalesMail
} from "../../../schemas/engagement/notifications/Preferences.ts"
import { NotificationId, PostId } from "../../../schemas/platform/Ids.ts"
import { AccountEmail } from "../../accounts/account-email/AccountEmail.ts"
import { Notifications } from "../../engagement/notifications/feed/Notifications.ts"
import { MAIL_SETTINGS_PATH } from "../../engagement/notifications/mails/mailKinds.ts"
import { PostMutes } from "../../engagement/notifications/mutes/PostMutes.ts"
import { Preferences } from "../../engagement/notifications/preferences/Preferences.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { type FieldBounds, LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { operatorContact } from "../../platform/ports/operatorContact.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { now } from "../../platform/time/now.ts"
import { makeBrowser } from "../browser/http.ts"
import { makeEntries } from "./entries.ts"
import { notificationsPage, notificationsPath, type Place } from "./notificationsPage.ts"
import { BEGAN_SALES, SALES, salesChange, settingsPage, shownKeys } from "./settingsPage.ts"

const isSalesMail = Schema.is(SalesMail)
const decodeId = Schema.decodeUnknownOption(NotificationId)
const decodeIds = Schema.decodeUnknownOption(Schema.Array(NotificationId))
const decodePostId = Schema.decodeUnknownOption(PostId)

const PLACE = { all: LENGTHS.word, after: LENGTHS.word }

const SETTINGS: FieldBounds = {
  _began: LENGTHS.text,
  [SALES]: LENGTHS.word,
  [BEGAN_SALES]: LENGTHS.word,
  ...Object.fromEntries(shownKeys.map((key) => [key, LENGTHS.word]))
}

/** Returns the page of the list that an address or a form names. */
const placeOf = (fields: URLSearchParams | SentForm<keyof typeof PLACE>): Place => ({
  isAll: fields.has("all"),
  after: Option.getOrUndefined(decodeId(fields.get("after")))
})

/** Serves the notifications of an owner, and the page on which they choose them. Every email about them links to it. */
export const NotificationRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const entriesOf = yield* makeEntries
    const notifications = yield* Notifications
    const mutes = yield* PostMutes
    const preferences = yield* Preferences
    const emails = yield* AccountEmail
    const browser = yield* makeBrowser
    const contact = yield* operatorContact
    const count = yield* limiting
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const asked = yield* query
      const place = placeOf(asked)
      return yield* browser.asOwner(
        notificationsPath(place),
        Effect.fnUntraced(function* (owner) {
          const after = Option.getOrUndefined(decodeId(place.after))
          const listed = yield* entriesOf(owner, { isAll: place.isAll, after })
          return page(
            notificationsPage({
              ...listed,
              now: yield* now,
              place,
              done: asked.get("done"),
              contact,
              isModerator: owner.isModerator
            })
          )
        })
      )
    })

    const mark = Effect.gen(function* () {
      const form = yield* readForm({ ...PLACE, ids: LENGTHS.text })
      const place = placeOf(form)
      const isAll = form.get("ids") === "all"
      const ids = decodeIds(form.get("ids")?.split(" "))
      if (Option.isNone(ids) && !isAll) return yield* new FormRefused({ status: 400 })
      return yield* browser.asOwner(notificationsPath(place), (owner) =>
        Effect.as(
          Option.isSome(ids) ? notifications.markRead(owner, ids.value) : notifications.markAllRead(owner),
          seeOther(notificationsPath(place, isAll ? "all" : "read"))
        )
      )
    })

    const mute = Effect.gen(function* () {
      const form = yield* readForm({ ...PLACE, post: LENGTHS.word, muted: LENGTHS.word })
      const place = placeOf(form)
      const post = decodePostId(form.get("post"))
      const wanted = form.get("muted")
      if (Option.isNone(post) || (wanted !== "yes" && wanted !== "no"))
        return yield* new FormRefused({ status: 400 })
      return yield* browser.asOwner(notificationsPath(place), (owner) =>
        Effect.map(mutes.save(owner, post.value, { muted: wanted === "yes" }), ({ muted }) =>
          seeOther(notificationsPath(place, muted ? "muted" : "unmuted"))
        )
      )
    })

    const showSettings = Effect.gen(function* () {
      yield* count("public-read")
      const isSaved = (yield* query).has("saved")
      return yield* browser.asOwner(
        MAIL_SETTINGS_PATH,
        Effect.fnUntraced(function* (owner) {
          const { email } = yield* emails.read(owner)
          return page(
            settingsPage({
              preferences: yield* preferences.read(owner),
              hasEmail: email !== null,
              isSaved,
              isModerator: owner.isModerator
            })
          )
        })
      )
    })

    const saveSettings = Effect.gen(function* () {
      const form = yield* readForm(SETTINGS)
      const began = form.get("_began")?.split(" ")
      // A box that another tab changed since stays as it is. A browser sends nothing for a box without its tick.
      const changed = shownKeys.filter((key) => began?.includes(key) !== form.has(key))
      const when = form.get(SALES)
      const change: NotificationPreferencesChange = {
        ...Object.fromEntries(changed.map((key) => [key, form.has(key)])),
        ...(isSalesMail(when) && when !== form.get(BEGAN_SALES) ? salesChange(when) : {})
      }
      const saved = seeOther(`${MAIL_SETTINGS_PATH}?saved`)
      return yield* browser.asOwner(MAIL_SETTINGS_PATH, (owner) =>
        Object.keys(change).length === 0
          ? Effect.succeed(saved)
          : Effect.as(preferences.save(owner, change), saved)
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/desk/notifications", answering(show)),
      addPrivatePage("POST", "/desk/notifications/read", answering(mark)),
      addPrivatePage("POST", "/desk/notifications/mute", answering(mute)),
      addPrivatePage("GET", MAIL_SETTINGS_PATH, answering(showSettings)),
      addPrivatePage("POST", MAIL_SETTINGS_PATH, answering(saveSettings))
    )
  })
)
