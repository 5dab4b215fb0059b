import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { Preferences } from "../../engagement/notifications/preferences/Preferences.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { MAIL_SETTINGS_PATH } from "../../platform/mail/mailKinds.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { mailKeys, mailSettingsPage } from "./mailSettingsPage.ts"

/** Serves the page on which owners choose their emails. Every email that can be switched off links to it. */
export const MailSettingsRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const preferences = yield* Preferences
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const isSaved = (yield* query).has("saved")
      return yield* browser.asOwner(MAIL_SETTINGS_PATH, (owner) =>
        Effect.map(preferences.read(owner), (read) => page(mailSettingsPage({ preferences: read, isSaved })))
      )
    })

    const save = Effect.gen(function* () {
      const form = yield* readForm
      // A browser sends nothing for a box without its tick.
      const change = Object.fromEntries(
        ["email_notifications" as const, ...mailKeys].map((key) => [key, form.has(key)])
      )
      return yield* browser.asOwner(MAIL_SETTINGS_PATH, (owner) =>
        Effect.as(preferences.save(owner, change), seeOther(`${MAIL_SETTINGS_PATH}?saved`))
      )
    })

    return Layer.merge(
      HttpRouter.add("GET", MAIL_SETTINGS_PATH, answering(show)),
      HttpRouter.add("POST", MAIL_SETTINGS_PATH, answering(save))
    )
  })
)
